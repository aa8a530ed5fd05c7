//! The page below `/api/docs/`, which shows the OpenAPI document with Swagger UI and loads nothing from other hosts.

use crate::answer::{Answer, NOT_FOUND, OK, missing_file, send};
use crate::{Asset, EmbeddedFile, Stored, find_in};

include!(concat!(env!("OUT_DIR"), "/embedded_api_docs.rs"));

const PAGE: &str = "index.html";

/// Headers of every answer. Swagger UI needs inline styles and icons from `data:` addresses; its scripts are files of
/// this server.
pub const SECURITY_HEADERS: [(&str, &str); 3] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

/// Answers `GET /api/docs/{path}`. The page has the empty path.
pub fn answer(path: &str, accept_encoding: Option<&str>, if_none_match: Option<&str>) -> Answer {
    let (asset, status, if_none_match) = match find(path) {
        Some(asset) => (asset, OK, if_none_match),
        None => (missing_file(), NOT_FOUND, None),
    };
    send(&SECURITY_HEADERS, asset, status, accept_encoding, if_none_match)
}

/// The paths of all files, below `/api/docs/`, in alphabetical order.
pub fn files() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.path)
}

/// The file at a path below `/api/docs/`.
pub fn find(path: &str) -> Option<Asset> {
    find_in(FILES, if path.is_empty() { PAGE } else { path })
}
