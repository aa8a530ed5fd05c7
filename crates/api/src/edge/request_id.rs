//! The id of a request, in its log lines, its audit entries and the header `X-Request-Id` of its answer.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of the current request, for the audit log.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub HeaderValue);

/// Returns the client's own `X-Request-Id` if it is well-formed, otherwise a new random id.
pub(crate) fn request_id(headers: &HeaderMap) -> HeaderValue {
    let theirs = headers.get(REQUEST_ID).filter(|value| is_sane(value.as_bytes()));
    theirs.cloned().unwrap_or_else(|| {
        let fresh = format!("{:032x}", rand::random::<u128>());
        HeaderValue::try_from(fresh).unwrap_or_else(|_| HeaderValue::from_static("none"))
    })
}

fn is_sane(id: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    (1..=128).contains(&id.len()) && id.iter().all(allowed)
}
