//! The console's user interface, the documentation and the page of the OpenAPI document inside the binary: files as
//! `build.rs` built them, with media type, caching and compression of each. It uses no HTTP library:
//! `crates/server/src/serve/console.rs` turns an `Answer` into a response.

mod answer;
pub mod api_docs;
pub mod docs;
mod encoding;
mod media_type;
mod stored;

pub use answer::{Answer, SECURITY_HEADERS, answer};
pub use encoding::{Encoding, negotiate};
pub use stored::Stored;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

const INDEX: &str = "index.html";
/// The folder of files whose names have a hash of their content.
const HASHED_FOLDER: &str = "assets/";
/// Number of characters of the hash that Vite writes into a name.
const HASH_CHARACTERS: usize = 8;

/// One file as the build script embeds it.
#[derive(Debug, Clone, Copy)]
struct EmbeddedFile {
    path: &'static str,
    /// A hash of the content, in hexadecimal digits.
    hash: &'static str,
    content: Stored,
}

/// Why a binary has no user interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// Node or npm was missing, or too old.
    NodeMissing,
    BuildFailed,
    /// `SWITCHBOARD_UI=off`
    SwitchedOff,
}

/// A file that the server can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    pub media_type: &'static str,
    pub cache_control: &'static str,
    /// The hash for the `ETag` header; None for a page that is no file.
    pub hash: Option<&'static str>,
    pub content: Stored,
}

/// Why the binary has no user interface; None if it has one.
pub const fn absence() -> Option<Absence> {
    ABSENCE
}

/// The paths of all files, below `/console/`, in alphabetical order.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.path)
}

/// The file at a path below `/console/`.
pub fn find(path: &str) -> Option<Asset> {
    find_in(FILES, path)
}

/// The file at a path, of files in alphabetical order.
fn find_in(files: &[EmbeddedFile], path: &str) -> Option<Asset> {
    let place = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
    let EmbeddedFile { path, hash, content } = files[place];
    Some(Asset {
        media_type: media_type::of(path),
        cache_control: if is_hashed_name(path) { "public, max-age=31536000, immutable" } else { "no-cache" },
        hash: Some(hash),
        content,
    })
}

/// The page for every path of the single-page application. Without a user interface, a page that says how to get one.
pub fn index() -> Asset {
    find(INDEX).unwrap_or_else(|| absence_page(absence().unwrap_or(Absence::BuildFailed)))
}

/// Whether the name of a file has a hash of its content, so that the file at this path never changes.
pub fn is_hashed_name(path: &str) -> bool {
    let Some(name) = path.strip_prefix(HASHED_FOLDER) else { return false };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_hash_character = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let Some(split) = stem.len().checked_sub(HASH_CHARACTERS + 1) else { return false };
    let (before, hash) = stem.as_bytes().split_at(split);
    !before.is_empty() && hash[0] == b'-' && hash[1..].iter().all(|byte| is_hash_character(*byte))
}

/// A page of one sentence.
macro_rules! page {
    ($sentence:literal) => {
        concat!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Switchboard</title>\n<p>",
            $sentence,
            "</p>\n"
        )
        .as_bytes()
    };
}

fn absence_page(absence: Absence) -> Asset {
    let content = match absence {
        Absence::NodeMissing => page!(
            "The console is not part of this build: install Node 20 with npm and build Switchboard again; the API \
             works without it."
        ),
        Absence::BuildFailed => page!(
            "The console is not part of this build, because building it failed: install Node 20 with npm, build \
             Switchboard again and read its warning; the API works without it."
        ),
        Absence::SwitchedOff => page!(
            "The console is not part of this build: build Switchboard again with Node 20 and without \
             SWITCHBOARD_UI=off; the API works without it."
        ),
    };
    let content = Stored::Plain(content);
    Asset { media_type: media_type::HTML, cache_control: "no-store", hash: None, content }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_with_a_hash_never_change() {
        for path in ["assets/index-B1x_-k9Q.js", "assets/LogIn-DkQ2abcd.css", "assets/u.esm-12345678.js"] {
            assert!(is_hashed_name(path), "{path}");
        }
        for path in ["index.html", "icon.svg", "assets/logo.svg", "assets/-12345678.js", "assets/index-1234567.js"] {
            assert!(!is_hashed_name(path), "{path}");
        }
        assert!(!is_hashed_name("index-B1x_-k9Q.js"), "only Vite's folder");
    }

    #[test]
    fn a_page_says_in_one_sentence_what_to_install() {
        for absence in [Absence::NodeMissing, Absence::BuildFailed, Absence::SwitchedOff] {
            let page = absence_page(absence);
            let content = page.content.plain();
            let text = str::from_utf8(content).unwrap();
            let sentence = text.split_once("<p>").unwrap().1.split_once("</p>").unwrap().0;
            assert!(sentence.contains("Node 20") && sentence.contains("again"), "{sentence}");
            assert!(sentence.ends_with('.') && sentence.matches(['.', '\n']).count() == 1, "{sentence}");
            assert_eq!((page.cache_control, page.hash), ("no-store", None));
        }
    }

    #[test]
    fn every_embedded_file_is_found_under_its_path_only() {
        for file in FILES {
            let found = find(file.path).unwrap();
            assert_eq!(found.content, file.content);
            assert_eq!(
                found.cache_control.contains("immutable"),
                file.path.starts_with(HASHED_FOLDER),
                "{}",
                file.path
            );
            assert_ne!(found.media_type, media_type::UNKNOWN, "{}", file.path);
        }
        for path in ["", "/", "/index.html", "assets", "assets/", "../Cargo.toml", "assets/../index.html"] {
            assert_eq!(find(path), None, "{path}");
        }
        assert_eq!(absence().is_none(), find(INDEX).is_some());
    }
}
