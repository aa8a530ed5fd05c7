//! Files in responses: streamed with their type and name, and never in a form that a browser would execute.

use app::messaging::media::OpenFile;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::prelude::*;

/// A file's bytes, streamed. If streaming fails, the response is cut off, so that the client notices the incomplete
/// file.
#[derive(ToSchema)]
#[schema(as = FileBytes, value_type = String, format = Binary)]
pub(crate) struct FileBytes(pub OpenFile);

const ANY_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// Content security policy: a browser that shows a file as a page runs no script of it and gives it an origin of its
/// own.
const FILE_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");
/// Characters that need no escaping in the extended form of a file name (RFC 8187).
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

impl IntoResponse for FileBytes {
    fn into_response(self) -> Response {
        file_response(self.0)
    }
}

fn file_response(opened: OpenFile) -> Response {
    let mime = HeaderValue::from_str(&opened.mime).unwrap_or(ANY_TYPE);
    let name = HeaderValue::from_str(&disposition(&opened.mime, &opened.name));
    let mut answer = Body::from_stream(opened.body).into_response();
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, mime);
    headers.insert(header::CONTENT_DISPOSITION, name.unwrap_or(HeaderValue::from_static("attachment")));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, FILE_POLICY);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private"));
    if let Some(length) = opened.length {
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    answer
}

/// The value of `Content-Disposition`. Only types that cannot hold a script are `inline`. A name in ASCII is sent
/// without the extended form `filename*`, which many clients mishandle. Any other name is sent in both forms; in the
/// plain one, `_` replaces characters outside ASCII.
fn disposition(mime: &str, name: &str) -> String {
    let essence = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_shown = matches!(essence.as_str(), "image/jpeg" | "image/png" | "image/webp" | "image/gif")
        || essence.starts_with("video/")
        || essence.starts_with("audio/");
    let plain = |c: char| if matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%') { c } else { '_' };
    let in_plain: String = name.chars().map(plain).collect();
    let way = if is_shown { "inline" } else { "attachment" };
    if name.is_ascii() {
        return format!("{way}; filename=\"{in_plain}\"");
    }
    format!("{way}; filename=\"{in_plain}\"; filename*=UTF-8''{}", utf8_percent_encode(name, NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ways_of_showing() {
        for (mime, name, expected) in [
            ("image/jpeg", "a.jpg", "inline; filename=\"a.jpg\""),
            ("Audio/Ogg; codecs=opus", "v.ogg", "inline; filename=\"v.ogg\""),
            (
                "application/pdf",
                "Räume \"1\".pdf",
                "attachment; filename=\"R_ume _1_.pdf\"; filename*=UTF-8''R%C3%A4ume%20%221%22.pdf",
            ),
            ("text/html", "x.html", "attachment; filename=\"x.html\""),
            ("image/svg+xml", "x\r\ny.svg", "attachment; filename=\"x__y.svg\""),
        ] {
            assert_eq!(disposition(mime, name), expected);
        }
    }
}
