//! The session cookie: restricted to the console's path, and not readable by scripts.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::ApiState;
use crate::error::{ApiError, ApiResult, INTERNAL};

const NAME: &str = "switchboard_session";

/// The session value in a request's cookies.
pub(super) fn session_in(headers: &HeaderMap) -> Option<&str> {
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, value)| value)
}

/// Adds the session cookie to an answer; `seconds` is its lifetime.
pub(super) fn set(state: &ApiState, value: &str, seconds: i64, answer: impl IntoResponse) -> ApiResult<Response> {
    let secure = if state.settings.public_url.to_ascii_lowercase().starts_with("https://") { "; Secure" } else { "" };
    let text = format!("{NAME}={value}; Path=/console; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let cookie = HeaderValue::try_from(text).map_err(|_| ApiError::new(INTERNAL, "The cookie cannot be written"))?;
    let mut response = answer.into_response();
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Removes the session cookie in an answer.
pub(super) fn clear(state: &ApiState, answer: impl IntoResponse) -> ApiResult<Response> {
    set(state, "", 0, answer)
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
