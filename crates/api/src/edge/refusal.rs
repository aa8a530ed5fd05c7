//! Error bodies for requests that the listener refuses before they reach the edge: malformed HTTP, or headers that are
//! too large.

use axum::http::StatusCode;
use domain::Timestamp;

use crate::error::{ErrorBody, HEADERS_TOO_LARGE, MALFORMED_REQUEST, URI_TOO_LONG};

/// The JSON error body for a status with which the listener refuses requests; `None` for any other status.
pub fn refusal(status: StatusCode) -> Option<String> {
    let (kind, message) = match status {
        StatusCode::BAD_REQUEST => (MALFORMED_REQUEST, "The request line or a header is not well-formed HTTP"),
        StatusCode::URI_TOO_LONG => (URI_TOO_LONG, "The path and query are too long"),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            (HEADERS_TOO_LARGE, "There are more than 100 headers, or they are larger than 64 KiB in total")
        }
        _ => return None,
    };
    let body = ErrorBody {
        code: kind.code,
        message: message.to_owned(),
        timestamp: Timestamp::system_now().to_rfc3339(),
        reason: kind.reason,
        parameter: None,
        required_any_of: None,
        granted: None,
        limit: None,
        used: None,
        max: None,
        conversations: None,
    };
    serde_json::to_string(&body).ok()
}
