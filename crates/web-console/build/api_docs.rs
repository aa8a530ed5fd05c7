//! The files of the page below `/api/docs/`, which shows the OpenAPI document with Swagger UI.
//!
//! The page and its settings are our own files. The rest is taken from a release of Swagger UI, a zip archive: only the
//! files that the page loads, because a release also has bundles for other ways to use it.

use std::fs;
use std::io::{self, Cursor, Read as _, Write};
use std::path::Path;

use zip::ZipArchive;

use super::docs::RenderedFile;

/// The folder of our own files in the workspace.
const OWN_FOLDER: &str = "crates/web-console/api-docs";
const OWN_FILES: [&str; 2] = ["index.html", "swagger-initializer.js"];
/// The files that `index.html` loads from the release, by their names in its folder `dist`.
const SWAGGER_UI_FILES: [&str; 5] =
    ["favicon-32x32.png", "index.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js", "swagger-ui.css"];

/// Makes cargo watch the folder of our own files. A new release is a new version of a dependency, which cargo notices.
pub fn watch(workspace: &Path, cargo: &mut dyn Write) -> io::Result<()> {
    writeln!(cargo, "cargo::rerun-if-changed={}", workspace.join(OWN_FOLDER).display())
}

/// All files below `/api/docs/`, in the order of their paths. `release` is the zip archive.
pub fn read(workspace: &Path, release: &[u8]) -> io::Result<Vec<RenderedFile>> {
    let mut release = ZipArchive::new(Cursor::new(release))?;
    let mut files = Vec::new();
    for name in OWN_FILES {
        let content = fs::read(workspace.join(OWN_FOLDER).join(name));
        let content = content.map_err(|error| io::Error::other(format!("{OWN_FOLDER}/{name}: {error}")))?;
        files.push(RenderedFile { path: name.to_owned(), content });
    }
    for name in SWAGGER_UI_FILES {
        files.push(RenderedFile { path: name.to_owned(), content: extract(&mut release, name)? });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The content of a file in the folder `dist`. The folder above it has the version in its name.
fn extract(release: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> io::Result<Vec<u8>> {
    let ending = format!("/dist/{name}");
    let is_wanted = |index: &usize| {
        let path = release.name_for_index(*index);
        path.is_some_and(|path| path.is_ok_and(|path| path.ends_with(&ending)))
    };
    let Some(index) = (0..release.len()).find(is_wanted) else {
        return Err(io::Error::other(format!("the release of Swagger UI has no file that ends in {ending}")));
    };
    let mut content = Vec::new();
    release.by_index(index)?.read_to_end(&mut content)?;
    Ok(content)
}
