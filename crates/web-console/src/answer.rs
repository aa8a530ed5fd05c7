//! Answers to requests below `/console/`, as plain data; `docs.rs` makes those below `/docs` and `api_docs.rs` those
//! below `/api/docs/` with the same functions.

use crate::{Asset, Encoding, HASHED_FOLDER, Stored, absence, find, index, media_type, negotiate};

/// Headers of every answer of the console. The pages load nothing from other hosts, have no inline script or style, and cannot be
/// shown in a frame.
pub const SECURITY_HEADERS: [(&str, &str); 4] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; \
         connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    // A second policy; browsers enforce both. Only the templates of Svelte may turn text into HTML.
    ("content-security-policy", "require-trusted-types-for 'script'; trusted-types svelte-trusted-html"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

pub(crate) const OK: u16 = 200;
const NOT_MODIFIED: u16 = 304;
pub(crate) const NOT_FOUND: u16 = 404;
const SERVICE_UNAVAILABLE: u16 = 503;

/// Status, headers (with names in lower case) and body.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: &'static [u8],
}

/// Answers `GET /console/{path}`: with the file at the path, otherwise with the page of the single-page application. A
/// missing file below `assets/` is 404, so that a browser with an old page does not take HTML for a script. Without a
/// user interface every path is 503.
pub fn answer(path: &str, accept_encoding: Option<&str>, if_none_match: Option<&str>) -> Answer {
    let (asset, status, if_none_match) = match find(path) {
        _ if absence().is_some() => (index(), SERVICE_UNAVAILABLE, None),
        Some(asset) => (asset, OK, if_none_match),
        None if path.starts_with(HASHED_FOLDER) => (missing_file(), NOT_FOUND, None),
        None => (index(), OK, if_none_match),
    };
    send(&SECURITY_HEADERS, asset, status, accept_encoding, if_none_match)
}

pub(crate) const fn missing_file() -> Asset {
    let content = Stored::Plain(b"There is no such file.\n");
    Asset { media_type: media_type::TEXT, cache_control: "no-store", hash: None, content }
}

pub(crate) fn send(
    security_headers: &[(&'static str, &str)],
    asset: Asset,
    status: u16,
    accept_encoding: Option<&str>,
    if_none_match: Option<&str>,
) -> Answer {
    let headers = security_headers.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let mut headers: Vec<(&'static str, String)> = headers.collect();
    let mut add = |name, value: &str| headers.push((name, value.to_owned()));
    add("cache-control", asset.cache_control);
    if matches!(asset.content, Stored::Gzip(_)) {
        add("vary", "Accept-Encoding");
    }
    if let Some(hash) = asset.hash {
        let tag = entity_tag(hash);
        add("etag", &tag);
        if if_none_match.is_some_and(|header| names_tag(header, &tag)) {
            return Answer { status: NOT_MODIFIED, headers, body: &[] };
        }
    }
    add("content-type", asset.media_type);
    let body = match (negotiate(accept_encoding), asset.content) {
        (Encoding::Gzip, Stored::Gzip(compressed)) => {
            add("content-encoding", "gzip");
            compressed
        }
        (_, content) => content.plain(),
    };
    Answer { status, headers, body }
}

/// A weak tag, because the compressed variant of a file has the same tag.
fn entity_tag(hash: &str) -> String {
    format!("W/\"{hash}\"")
}

/// Whether `If-None-Match` names a tag, by weak comparison.
fn names_tag(header: &str, tag: &str) -> bool {
    let opaque = opaque_tag(tag);
    header.trim() == "*" || header.split(',').any(|one| opaque_tag(one) == opaque)
}

fn opaque_tag(tag: &str) -> &str {
    tag.trim().trim_start_matches("W/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[u8] = b"as it is";
    /// `PLAIN`, compressed.
    const COMPRESSED: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03K,V\xc8,Q\xc8,\x06\0\xb3$N\x96\x08\0\0\0";

    const SCRIPT: Asset = Asset {
        media_type: "text/javascript; charset=utf-8",
        cache_control: "public, max-age=31536000, immutable",
        hash: Some("abc"),
        content: Stored::Gzip(COMPRESSED),
    };

    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        let mut found = answer.headers.iter().filter(|(known, _)| *known == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert_eq!(found.next(), None, "{name} once");
        first
    }

    #[test]
    fn the_compressed_variant_is_sent_to_a_client_that_takes_it() {
        let small = send(&SECURITY_HEADERS, SCRIPT, OK, Some("gzip, br"), None);
        assert_eq!((small.status, small.body), (OK, COMPRESSED));
        assert_eq!(header(&small, "content-encoding"), Some("gzip"));
        let whole = send(&SECURITY_HEADERS, SCRIPT, OK, None, None);
        assert_eq!((whole.status, whole.body), (OK, PLAIN));
        assert_eq!(header(&whole, "content-encoding"), None);
        for answer in [small, whole] {
            assert_eq!(header(&answer, "vary"), Some("Accept-Encoding"));
            assert_eq!(header(&answer, "etag"), Some("W/\"abc\""));
            assert_eq!(header(&answer, "content-type"), Some(SCRIPT.media_type));
            assert_eq!(header(&answer, "cache-control"), Some(SCRIPT.cache_control));
        }
        let incompressible = Asset { content: Stored::Plain(PLAIN), ..SCRIPT };
        let incompressible = send(&SECURITY_HEADERS, incompressible, OK, Some("gzip"), None);
        assert_eq!((incompressible.body, header(&incompressible, "vary")), (PLAIN, None));
    }

    #[test]
    fn a_client_that_has_the_file_gets_no_body() {
        for known in ["W/\"abc\"", "\"abc\"", "\"x\", W/\"abc\"", "*"] {
            let answer = send(&SECURITY_HEADERS, SCRIPT, OK, Some("gzip"), Some(known));
            assert_eq!((answer.status, answer.body), (NOT_MODIFIED, &b""[..]), "{known}");
            assert_eq!(header(&answer, "etag"), Some("W/\"abc\""));
            assert_eq!(header(&answer, "content-encoding"), None);
        }
        for other in ["", "\"x\"", "abc", "W/\"ab\""] {
            assert_eq!(send(&SECURITY_HEADERS, SCRIPT, OK, None, Some(other)).status, OK, "{other}");
        }
    }

    #[test]
    fn every_answer_has_the_security_headers() {
        for path in ["", "calls", "index.html", "assets/gone-12345678.js"] {
            let answer = answer(path, None, None);
            assert_eq!(header(&answer, "x-content-type-options"), Some("nosniff"));
            assert_eq!(header(&answer, "referrer-policy"), Some("no-referrer"));
            let policies = answer.headers.iter().filter(|(name, _)| *name == "content-security-policy");
            assert_eq!(
                policies.map(|(_, policy)| policy.as_str()).collect::<Vec<_>>(),
                [
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
                    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html",
                ]
            );
        }
    }

    #[test]
    fn pages_get_the_index_and_missing_files_do_not() {
        let [page, deep, gone] =
            ["", "connector/webhooks/507f", "assets/gone-12345678.js"].map(|path| answer(path, None, None));
        assert_eq!(page, deep);
        assert_eq!(page.body, index().content.plain());
        if absence().is_none() {
            assert_eq!((page.status, header(&page, "cache-control")), (OK, Some("no-cache")));
            assert_eq!((gone.status, header(&gone, "cache-control")), (NOT_FOUND, Some("no-store")));
        } else {
            assert_eq!((page.status, gone.status), (SERVICE_UNAVAILABLE, SERVICE_UNAVAILABLE));
            assert_eq!(header(&page, "cache-control"), Some("no-store"));
        }
    }
}
