//! The documentation below `/docs`: one page for each file of `docs/`, style, script, search index and pictures.

use crate::answer::{Answer, NOT_FOUND, OK, missing_file, send};
use crate::{Asset, EmbeddedFile, Stored, find_in};

include!(concat!(env!("OUT_DIR"), "/embedded_docs.rs"));

const PAGE_ENDING: &str = ".html";
const OVERVIEW: &str = "index";
/// The page for addresses that lead nowhere.
const MISSING: &str = "missing.html";

/// Headers of every answer. The pages load nothing from other hosts, have no inline script or style, send no form,
/// cannot be shown in a frame, and never turn text into HTML.
pub const SECURITY_HEADERS: [(&str, &str); 4] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    // A second policy; browsers enforce both.
    ("content-security-policy", "require-trusted-types-for 'script'; trusted-types 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

/// Answers `GET /docs/{path}`. The overview has the empty path, a page the name of its file without the ending.
pub fn answer(path: &str, accept_encoding: Option<&str>, if_none_match: Option<&str>) -> Answer {
    let (asset, status, if_none_match) = match find(path) {
        Some(asset) => (asset, OK, if_none_match),
        None => (missing_page(), NOT_FOUND, None),
    };
    send(&SECURITY_HEADERS, asset, status, accept_encoding, if_none_match)
}

/// The names of all pages, in alphabetical order.
pub fn pages() -> impl Iterator<Item = &'static str> {
    let names = FILES.iter().filter_map(|file| file.path.strip_suffix(PAGE_ENDING));
    names.filter(|name| *name != OVERVIEW && format!("{name}{PAGE_ENDING}") != MISSING)
}

/// The paths of everything else: style, script, search index and pictures.
pub fn files() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.path).filter(|path| !path.ends_with(PAGE_ENDING))
}

/// The page or file at a path below `/docs/`.
pub fn find(path: &str) -> Option<Asset> {
    match path {
        "" => find_in(FILES, &format!("{OVERVIEW}{PAGE_ENDING}")),
        // A page has one address.
        OVERVIEW | "missing" => None,
        page if !page.contains('.') => find_in(FILES, &format!("{page}{PAGE_ENDING}")),
        page if page.ends_with(PAGE_ENDING) => None,
        file => find_in(FILES, file),
    }
}

fn missing_page() -> Asset {
    let page = find_in(FILES, MISSING).unwrap_or(missing_file());
    Asset { cache_control: "no-store", hash: None, ..page }
}
