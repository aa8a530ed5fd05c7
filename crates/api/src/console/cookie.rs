//! The cookies of the console, restricted to its path and not readable by scripts: the session, and the state of a
//! log-in at a provider.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::ApiState;
use crate::error::{ApiError, ApiResult, INTERNAL};

/// A cookie of the console.
struct Cookie {
    name: &'static str,
    path: &'static str,
    same_site: &'static str,
}

const SESSION: Cookie = Cookie { name: "switchboard_session", path: "/console", same_site: "Strict" };
/// Comes along when a provider sends the browser back, which `Strict` would prevent.
const LOG_IN: Cookie = Cookie { name: "switchboard_oidc", path: "/console/oidc", same_site: "Lax" };

/// The session value in a request's cookies.
pub(super) fn session_in(headers: &HeaderMap) -> Option<&str> {
    value_in(headers, &SESSION)
}

/// The sealed state of a log-in at a provider.
pub(super) fn log_in_state_in(headers: &HeaderMap) -> Option<&str> {
    value_in(headers, &LOG_IN)
}

fn value_in<'a>(headers: &'a HeaderMap, cookie: &Cookie) -> Option<&'a str> {
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == cookie.name).map(|(_, value)| value)
}

/// Adds the session cookie to an answer; `seconds` is its lifetime.
pub(super) fn set(state: &ApiState, value: &str, seconds: i64, answer: impl IntoResponse) -> ApiResult<Response> {
    add(state, &SESSION, value, seconds, answer)
}

/// Removes the session cookie in an answer.
pub(super) fn clear(state: &ApiState, answer: impl IntoResponse) -> ApiResult<Response> {
    set(state, "", 0, answer)
}

/// Adds the cookie of a log-in at a provider.
pub(super) fn set_log_in_state(
    state: &ApiState,
    value: &str,
    seconds: i64,
    answer: impl IntoResponse,
) -> ApiResult<Response> {
    add(state, &LOG_IN, value, seconds, answer)
}

pub(super) fn clear_log_in_state(state: &ApiState, answer: impl IntoResponse) -> ApiResult<Response> {
    add(state, &LOG_IN, "", 0, answer)
}

fn add(state: &ApiState, cookie: &Cookie, value: &str, seconds: i64, answer: impl IntoResponse) -> ApiResult<Response> {
    let secure = if state.settings.public_url.to_ascii_lowercase().starts_with("https://") { "; Secure" } else { "" };
    let Cookie { name, path, same_site } = cookie;
    let text = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
    let cookie = HeaderValue::try_from(text).map_err(|_| ApiError::new(INTERNAL, "The cookie cannot be written"))?;
    let mut response = answer.into_response();
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        assert_eq!(session_in(&headers), None);
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; xswitchboard_session=no"));
        assert_eq!(session_in(&headers), None);
        headers.append(header::COOKIE, HeaderValue::from_static("theme=dark;switchboard_session=abc-_; c"));
        assert_eq!(session_in(&headers), Some("abc-_"));
    }
}
