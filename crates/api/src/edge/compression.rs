//! Compresses JSON responses with gzip for clients that accept it.
//!
//! A response that may contain a secret next to text that an attacker chose is never compressed: its length would
//! reveal the secret bit by bit (BREACH). Responses of `SECRET` routes, and of all console-only operations that are not
//! in `WITHOUT_SECRETS`, are therefore sent uncompressed. A test in `routes.rs` lists them.
//!
//! Exports, files and event streams are not `application/json` of a known length: they are never buffered or
//! compressed.

use std::io::Write as _;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::ApiError;

/// Bodies up to this many bytes are sent uncompressed: they fit into one packet.
const SMALL: u64 = 1024;
/// Larger bodies are sent uncompressed: compressing them takes too long for one request.
const LARGEST: u64 = 1 << 20;
/// Bodies up to this many bytes are compressed on the request's thread, which takes about a millisecond. Larger ones
/// are compressed on the blocking pool.
const AT_ONCE: usize = 64 << 10;
/// Close to the ratio of higher levels, in half the time.
const LEVEL: Compression = Compression::new(4);

/// API routes whose responses may contain a secret: tracked links, the network's posts, webhooks with their secrets and
/// headers, tokens.
const SECRET: [&str; 7] = [
    "/api/ext/v3/webhooks",
    "/api/ext/v3/webhooks/{id}",
    "/api/ext/v3/webhooks/{id}/rotate-secret",
    "/c/{code}",
    "/hooks/whatsapp/{channel_id}",
    "/{tenantId}/api/v1/rotateToken",
    "/{tenantId}/api/v2/webhookEndpoints",
];
/// Console-only operations whose responses contain no secret. All others are about log-ins, sessions, tokens, links and
/// accounts.
const WITHOUT_SECRETS: [&str; 7] = [
    "/console/api/audit",
    "/console/api/call-log",
    "/console/api/channel-names",
    "/console/api/health",
    "/console/api/order-counts",
    "/console/api/plan",
    "/console/api/queues",
];

/// Whether an operation's responses may contain a secret. `documented` is the path of a V3, V2 or V1 operation.
pub(crate) fn holds_secrets(documented: &str) -> bool {
    SECRET.contains(&documented)
}

/// The same for a console-only operation, or a page of its log-in.
pub(crate) fn console_holds_secrets(path: &str) -> bool {
    !WITHOUT_SECRETS.contains(&path)
}

/// How the response to a request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// Uncompressed, whatever the client accepts.
    Never,
    /// Uncompressed, because the client does not accept gzip.
    Identity,
    Gzip,
}

impl Coding {
    pub fn accepted(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
        let accepts = values.flat_map(|value| value.split(',')).any(accepts_gzip);
        if accepts { Self::Gzip } else { Self::Identity }
    }
}

/// Whether an element of `Accept-Encoding` is gzip with a weight other than 0.
fn accepts_gzip(element: &str) -> bool {
    let mut parts = element.split(';').map(str::trim);
    let is_gzip = parts.next().is_some_and(|coding| coding.eq_ignore_ascii_case("gzip"));
    let mut parameters = parts.filter_map(|parameter| parameter.split_once('='));
    let weight = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    is_gzip && weight.is_none_or(|(_, weight)| weight.trim().parse::<f32>().is_ok_and(|weight| weight > 0.0))
}

/// Compresses a response if that is allowed and worthwhile.
pub(super) async fn compress(mut response: Response, coding: Coding) -> Response {
    if coding == Coding::Never || !is_compressible(&response) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if coding == Coding::Identity {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = axum::body::to_bytes(body, usize::MAX).await else {
        return ApiError::internal().into_response();
    };
    let Some(packed) = packed(plain.clone()).await.filter(|packed| packed.len() < plain.len()) else {
        return Response::from_parts(parts, Body::from(plain));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(parts, Body::from(packed))
}

/// Whether the response is JSON in memory, neither small nor very large, without an `ETag` or another header that
/// describes its bytes.
fn is_compressible(response: &Response) -> bool {
    let headers = response.headers();
    let is_json =
        headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let fixed = [header::CONTENT_ENCODING, header::CONTENT_DISPOSITION, header::CONTENT_RANGE, header::ETAG];
    let size = response.body().size_hint().exact().unwrap_or(0);
    is_json && size > SMALL && size <= LARGEST && !fixed.iter().any(|name| headers.contains_key(name))
}

async fn packed(plain: Bytes) -> Option<Vec<u8>> {
    if plain.len() <= AT_ONCE {
        return gzip(&plain);
    }
    tokio::task::spawn_blocking(move || gzip(&plain)).await.ok().flatten()
}

/// None does not happen: writing to memory does not fail.
fn gzip(plain: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), LEVEL);
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_used_only_if_the_client_accepts_it() {
        for (value, coding) in [
            ("gzip, deflate, br", Coding::Gzip),
            ("br, GZIP;q=0.5", Coding::Gzip),
            ("gzip;q=0", Coding::Identity),
            ("gzip; q=0.000, identity", Coding::Identity),
            ("gzip;level=1;Q=0", Coding::Identity),
            ("gzip;q=none", Coding::Identity),
            ("*", Coding::Identity),
            ("br", Coding::Identity),
            ("", Coding::Identity),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]);
            assert_eq!(Coding::accepted(&headers), coding, "{value}");
        }
        assert_eq!(Coding::accepted(&HeaderMap::new()), Coding::Identity);
    }
}
