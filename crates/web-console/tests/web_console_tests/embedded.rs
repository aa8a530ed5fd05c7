//! The files that this build embeds: with `SWITCHBOARD_UI=require`, as in `scripts/test`, the real user interface.

use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use web_console::{Asset, Stored, absence, answer, api_docs, docs, find, index, is_hashed_name, paths};

use crate::steps::sources::hex;

/// The most bytes of compressed scripts that the first page loads. `ui/vite.config.ts` sets the same bound for each
/// page with its own script.
const FIRST_LOAD_BYTES: usize = 150_000;
/// The most bytes of all files together that the server keeps decompressed.
const MAX_DECOMPRESSED_BYTES: usize = 16 << 20;

/// The scripts that a page loads at once: its own and those that it announces with `modulepreload`.
fn scripts(page: &str) -> Vec<&str> {
    let tags = page.split('<').filter(|tag| tag.starts_with("script ") || tag.contains("rel=\"modulepreload\""));
    let address = |tag: &'_ str| {
        let start = ["src=\"", "href=\""].iter().find_map(|name| tag.find(name).map(|at| at + name.len()));
        start.map(|start| start..start + tag[start..].find('"').unwrap())
    };
    tags.filter_map(|tag| Some(&tag[address(tag)?])).collect()
}

#[test]
fn scripts_of_a_page_are_found() {
    let page = r#"<link rel="icon" href="/console/icon.svg">
        <script type="module" crossorigin src="/console/assets/index-1.js"></script>
        <link rel="modulepreload" crossorigin href="/console/assets/lib-2.js"><link rel="stylesheet" href="/x.css">"#;
    assert_eq!(scripts(page), ["/console/assets/index-1.js", "/console/assets/lib-2.js"]);
}

#[test]
fn the_first_load_is_small() {
    if absence().is_some() {
        return;
    }
    let page = str::from_utf8(index().content.plain()).unwrap();
    let scripts = scripts(page);
    assert!(!scripts.is_empty(), "{page}");
    let sizes = scripts.iter().map(|address| {
        let path = address.strip_prefix("/console/").unwrap();
        assert!(is_hashed_name(path), "{path}");
        let Stored::Gzip(compressed) = find(path).unwrap().content else { panic!("{path} is not compressed") };
        compressed.len()
    });
    let bytes: usize = sizes.sum();
    assert!(bytes <= FIRST_LOAD_BYTES, "{bytes} bytes of compressed JavaScript in {scripts:?}");
}

/// The content security policy forbids inline scripts and styles, so a page that had some would not work.
#[test]
fn the_page_keeps_to_its_content_security_policy() {
    let answer = answer("", None, None);
    let page = str::from_utf8(answer.body).unwrap();
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("data:"), "{page}");
    assert!(page.split("<script").skip(1).all(|script| script.contains("src=\"/console/")), "{page}");
}

/// Every file that a client without a credential can get, with its path.
fn all_files() -> impl Iterator<Item = (&'static str, Asset)> {
    let console = paths().map(|path| (path, find(path).unwrap()));
    let docs = docs::pages().chain(docs::files()).map(|path| (path, docs::find(path).unwrap()));
    let api_docs = api_docs::files().map(|path| (path, api_docs::find(path).unwrap()));
    console.chain(docs).chain(api_docs)
}

/// The build script makes the hash of a file before it compresses the file.
#[test]
fn all_files_can_be_decompressed_to_themselves() {
    for (path, asset) in all_files() {
        let hash = hex(&Sha256::digest(asset.content.plain()));
        assert_eq!(asset.hash, Some(hash.as_str()), "{path}");
    }
}

/// A request without compression costs no decompression, but the first for each file.
#[test]
fn files_are_decompressed_once_and_fit_into_memory() {
    for (path, asset) in all_files() {
        assert!(std::ptr::eq(asset.content.plain(), asset.content.plain()), "{path}");
    }
    let script = || api_docs::answer("swagger-ui-bundle.js", None, None).body;
    assert!(script().len() > 500_000 && std::ptr::eq(script(), script()));
    let bytes: usize = all_files().map(|(_, asset)| asset.content.plain().len()).sum();
    assert!(bytes <= MAX_DECOMPRESSED_BYTES, "{bytes} bytes of files");
}

/// So checking another crate never waits for npm.
#[test]
fn only_the_server_depends_on_this_crate() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let depends = manifest.lines().any(|line| line.starts_with("web-console"));
        assert_eq!(depends, folder.ends_with("server"), "{}", folder.display());
    }
}
