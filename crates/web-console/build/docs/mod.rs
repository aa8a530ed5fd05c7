//! Renders `docs/*.md` to the pages below `/docs`.
//!
//! 1. `markdown.rs` turns a file into HTML, its headings, its links and the text of its sections.
//! 2. `groups.rs` puts the pages into the order of the list on the left.
//! 3. `template.rs` puts a page into the frame that all pages share.
//! 4. `search.rs` writes the index that `docs/docs.js` searches.
//!
//! `links.rs` finds links that lead nowhere: a warning of the build and an error of the tests. A new file in `docs/` becomes a page without a change here; `groups.rs` only decides where it is listed. Pictures
//! are embedded if a page shows them.

pub mod groups;
pub mod links;
pub mod markdown;
pub mod search;
pub mod template;
pub mod transcript;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::sources::hex;
use groups::Group;
use markdown::Page;
use template::Frame;

/// Folders of the workspace: pages, style and script, design tokens and icon of the console.
const PAGES: &str = "docs";
const ASSETS: &str = "crates/web-console/docs";
const TOKENS: &str = "ui/src/styles/tokens.css";
const ICON: &str = "ui/public/icon.svg";
/// Number of characters of the hash in the name of an asset, as in those of Vite.
const HASH_CHARACTERS: usize = 8;

/// A file below `/docs/`.
#[derive(Debug)]
pub struct RenderedFile {
    pub path: String,
    pub content: Vec<u8>,
}

/// Makes cargo watch the files that the pages are made of.
pub fn watch(workspace: &Path, cargo: &mut dyn Write) -> io::Result<()> {
    let watched = [PAGES, ASSETS, TOKENS, ICON];
    watched.iter().try_for_each(|path| writeln!(cargo, "cargo::rerun-if-changed={}", workspace.join(path).display()))
}

/// Reads the pages, in the order of the groups.
pub fn read_pages(workspace: &Path) -> io::Result<Vec<Page>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(workspace.join(PAGES))? {
        let path = entry?.path();
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_page) else { continue };
        pages.push(markdown::parse(name, &fs::read_to_string(&path)?));
    }
    pages.sort_by(|a, b| (groups::position(&a.name), &a.name).cmp(&(groups::position(&b.name), &b.name)));
    Ok(pages)
}

/// All files below `/docs/`, in the order of their paths. Names of pages end in `.html`.
pub fn render(workspace: &Path, pages: &[Page]) -> io::Result<Vec<RenderedFile>> {
    let read = |path: &str| fs::read_to_string(workspace.join(path));
    let style = hashed("docs.css", (read(TOKENS)? + &read(&format!("{ASSETS}/docs.css"))?).into_bytes());
    let script = hashed("docs.js", read(&format!("{ASSETS}/docs.js"))?.into_bytes());
    let index = hashed("search.json", search::index(pages).into_bytes());
    let icon = hashed("icon.svg", read(ICON)?.into_bytes());
    let grouped = groups::grouped(pages);
    let frame =
        Frame { groups: &grouped, style: &style.path, script: &script.path, index: &index.path, icon: &icon.path };
    let mut files = render_pages(&grouped, &frame);
    let pictures: BTreeSet<&String> = pages.iter().flat_map(|page| &page.pictures).collect();
    for path in pictures {
        let content = fs::read(workspace.join(PAGES).join(path));
        let content = content.map_err(|error| io::Error::other(format!("{PAGES}/{path}: {error}")))?;
        files.push(RenderedFile { path: path.clone(), content });
    }
    files.extend([style, script, index, icon]);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn render_pages(grouped: &[Group<'_>], frame: &Frame<'_>) -> Vec<RenderedFile> {
    let mut files = Vec::new();
    let mut add = |name: &str, html: String| {
        files.push(RenderedFile { path: format!("{name}.html"), content: html.into_bytes() });
    };
    // The list of the groups is the order of reading.
    let order: Vec<&Page> = grouped.iter().flat_map(|group| group.pages.iter().copied()).collect();
    for (place, page) in order.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| order[before]);
        add(&page.name, frame.page(page, before, order.get(place + 1).copied()));
    }
    add("index", frame.overview());
    add("missing", frame.missing());
    files
}

/// A file whose name has a hash of its content, so that browsers may keep it forever.
fn hashed(name: &str, content: Vec<u8>) -> RenderedFile {
    let hash = hex(&Sha256::digest(&content));
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    RenderedFile { path: format!("assets/{stem}-{}.{ending}", &hash[..HASH_CHARACTERS]), content }
}
