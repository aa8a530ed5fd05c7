//! The cookies of the console, which scripts cannot read: the session, a log-in that waits for its second factor, and
//! the state of a log-in at an OpenID Connect provider.
//!
//! Where the public URL is https, the names begin with `__Host-`. Browsers accept such a cookie only from this very
//! host over https, so neither another host of the domain nor a plain connection can set one. The prefix requires the
//! path `/`. Without https there is no prefix, and the cookies are restricted to paths of the console.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::error::INTERNAL;
use crate::prelude::*;

struct Cookie {
    name: &'static str,
    path: &'static str,
    same_site: &'static str,
}

const SESSION: Cookie = Cookie { name: "switchboard_session", path: "/console", same_site: "Strict" };
/// A log-in between the password and the second factor.
const PENDING: Cookie = Cookie { name: "switchboard_log_in", path: "/console/api/session", same_site: "Strict" };
/// `Lax`, because browsers must send this cookie when the provider redirects them back; with `Strict` they would not.
const LOG_IN: Cookie = Cookie { name: "switchboard_oidc", path: "/console/oidc", same_site: "Lax" };

const HOST_PREFIX: &str = "__Host-";

/// Finds the value of the session cookie in a request's headers.
pub(super) fn session_in<'a>(state: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    value_in(headers, &SESSION, is_https(state))
}

/// The value of a log-in that waits for its second factor.
pub(super) fn pending_in<'a>(state: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    value_in(headers, &PENDING, is_https(state))
}

/// Finds the sealed state of a log-in at an OpenID Connect provider in a request's cookies.
pub(super) fn log_in_state_in<'a>(state: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    value_in(headers, &LOG_IN, is_https(state))
}

fn is_https(state: &ApiState) -> bool {
    state.settings.public_url.to_ascii_lowercase().starts_with("https://")
}

fn value_in<'a>(headers: &'a HeaderMap, cookie: &Cookie, https: bool) -> Option<&'a str> {
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let is_it =
        |name: &str| if https { name.strip_prefix(HOST_PREFIX) == Some(cookie.name) } else { name == cookie.name };
    pairs.find(|(name, _)| is_it(name)).map(|(_, value)| value)
}

/// Adds the session cookie to an answer; `seconds` is its lifetime.
pub(super) fn set(state: &ApiState, value: &str, seconds: i64, answer: impl IntoResponse) -> ApiResult<Response> {
    add(state, &SESSION, value, seconds, answer)
}

/// Makes the browser delete the session cookie, by a header of the answer.
pub(super) fn clear(state: &ApiState, answer: impl IntoResponse) -> ApiResult<Response> {
    set(state, "", 0, answer)
}

/// Adds the cookie of a log-in that waits for its second factor.
pub(super) fn set_pending(
    state: &ApiState,
    value: &str,
    seconds: i64,
    answer: impl IntoResponse,
) -> ApiResult<Response> {
    add(state, &PENDING, value, seconds, answer)
}

pub(super) fn clear_pending(state: &ApiState, answer: impl IntoResponse) -> ApiResult<Response> {
    add(state, &PENDING, "", 0, answer)
}

/// Adds the cookie with the state of a log-in at a provider to an answer; `seconds` is its lifetime.
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
    let (prefix, path, secure) = if is_https(state) { (HOST_PREFIX, "/", "; Secure") } else { ("", cookie.path, "") };
    let Cookie { name, same_site, .. } = cookie;
    let text =
        format!("{prefix}{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
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
        let session_in = |headers: &HeaderMap, https| value_in(headers, &SESSION, https).map(str::to_owned);
        assert_eq!(session_in(&headers, false), None);
        headers.append(header::COOKIE, HeaderValue::from_static("a=b; xswitchboard_session=no"));
        assert_eq!(session_in(&headers, false), None);
        headers.append(header::COOKIE, HeaderValue::from_static("theme=dark;switchboard_session=abc-_; c"));
        assert_eq!(session_in(&headers, false).as_deref(), Some("abc-_"));
        assert_eq!(session_in(&headers, true), None, "without its prefix another host could have set it");
        headers.append(header::COOKIE, HeaderValue::from_static("__Host-switchboard_session=def"));
        assert_eq!(session_in(&headers, true).as_deref(), Some("def"));
    }
}
