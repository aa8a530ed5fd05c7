//! hyper answers requests that it cannot parse with a status and an empty body. This module recognises such an answer
//! and replaces it by one with an error body and a request id.

use axum::http::StatusCode;

const STATUSES: [StatusCode; 3] =
    [StatusCode::BAD_REQUEST, StatusCode::URI_TOO_LONG, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE];

/// Cheap check before `with_body`, because the bytes of every answer are checked.
pub(super) fn may_be_bare(written: &[u8]) -> bool {
    written.starts_with(b"HTTP/1.1 4")
}

/// The answer to send in place of a bare refusal; `None` for any other answer.
pub(super) fn with_body(written: &[u8], body: fn(StatusCode) -> Option<String>) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(written).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = status_of(lines.next()?)?;
    // A handler's answer has a request id.
    let is_bare = lines.clone().any(|line| line == "content-length: 0") && !has_request_id(lines.clone());
    let body = is_bare.then(|| body(status))??;
    let kept = lines.filter(|line| *line != "content-length: 0" && *line != "connection: close");
    let kept: String = kept.flat_map(|line| [line, "\r\n"]).collect();
    let (length, id) = (body.len(), rand::random::<u128>());
    let answer = format!(
        "HTTP/1.1 {status}\r\n{kept}content-type: application/json\r\ncontent-length: {length}\r\n\
         x-request-id: {id:032x}\r\nconnection: close\r\n\r\n{body}"
    );
    Some(answer.into_bytes())
}

fn status_of(line: &str) -> Option<StatusCode> {
    let number = line.strip_prefix("HTTP/1.1 ")?.get(..3)?;
    STATUSES.into_iter().find(|status| status.as_str() == number)
}

fn has_request_id<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    lines.any(|line| line.starts_with("x-request-id:"))
}
