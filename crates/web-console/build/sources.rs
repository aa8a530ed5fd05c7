//! The files that the user interface is built from, and their hash.

use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest as _, Sha256};

/// To be changed with the steps of the build, so that results of older steps are not used.
const BUILD_VERSION: &str = "1";
const UI: &str = "ui";
/// The OpenAPI documents, from which `ui/scripts/generate.mjs` generates the client.
const OPENAPI: [&str; 2] = ["openapi/console.json", "openapi/switchboard.json"];
/// Folders of `ui/` that are generated from the sources, or have no influence on the result.
const EXCLUDED_FOLDERS: [&str; 5] = ["node_modules", "dist", "coverage", "tests", "src/generated"];
/// The only hidden file that the build reads; other hidden files belong to editors and Git.
const NPM_SETTINGS: &str = ".npmrc";

/// One file, with its path below the workspace.
#[derive(Debug)]
pub struct SourceFile {
    pub path: String,
    pub content: Vec<u8>,
}

/// The source files; none if the workspace has no user interface or lacks an OpenAPI document.
#[derive(Debug, Default)]
pub struct Sources {
    /// In the order of their paths.
    pub files: Vec<SourceFile>,
    watched: Vec<PathBuf>,
}

/// Whether a path below `ui/` belongs to the sources.
pub fn is_source(path: &str) -> bool {
    let excluded =
        |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_markdown = Path::new(name).extension().is_some_and(|extension| extension == "md");
    let is_hidden = name.starts_with('.') && name != NPM_SETTINGS;
    !EXCLUDED_FOLDERS.iter().any(|folder| excluded(folder)) && !is_hidden && !is_markdown && !name.ends_with('~')
}

/// Whether cargo can watch a folder below `ui/` as a whole: there is no excluded folder in it.
fn is_watched_whole(path: &str) -> bool {
    let inside = |folder: &str| path.is_empty() || folder.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    !EXCLUDED_FOLDERS.iter().any(|folder| inside(folder))
}

impl Sources {
    pub fn read(workspace: &Path) -> io::Result<Self> {
        let ui = workspace.join(UI);
        let mut sources = Self::default();
        if !ui.join("package.json").is_file() || OPENAPI.iter().any(|path| !workspace.join(path).is_file()) {
            return Ok(sources);
        }
        for path in OPENAPI {
            let openapi = workspace.join(path);
            sources.files.push(SourceFile { path: path.to_owned(), content: fs::read(&openapi)? });
            sources.watched.push(openapi);
        }
        sources.add_folder(&ui, "", true)?;
        sources.files.sort_by(|a, b| a.path.cmp(&b.path));
        sources.watched.sort();
        Ok(sources)
    }

    fn add_folder(&mut self, folder: &Path, path: &str, watch: bool) -> io::Result<()> {
        let whole = is_watched_whole(path);
        if watch && whole {
            self.watched.push(folder.to_owned());
        }
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            if !is_source(&path) {
                continue;
            }
            let (file, watch) = (entry.path(), watch && !whole);
            if file.is_dir() {
                self.add_folder(&file, &path, watch)?;
                continue;
            }
            self.files.push(SourceFile { path: format!("{UI}/{path}"), content: fs::read(&file)? });
            if watch {
                self.watched.push(file);
            }
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Files and folders that cargo watches. `ui/` and `ui/src/` themselves are not among them, because every `npm`
    /// command there would run the build again. A new file directly in them is noticed with the change of the file that
    /// uses it.
    pub fn watched(&self) -> &[PathBuf] {
        &self.watched
    }

    pub fn content(&self, path: &str) -> Option<&[u8]> {
        self.files.iter().find(|file| file.path == path).map(|file| file.content.as_slice())
    }

    /// The hash of all paths and contents. The times and modes of files have no influence.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(BUILD_VERSION);
        for file in &self.files {
            // Lengths keep ("ab", "c") and ("a", "bc") apart.
            for part in [file.path.as_bytes(), &file.content] {
                hasher.update(part.len().to_le_bytes());
                hasher.update(part);
            }
        }
        hex(&hasher.finalize())
    }
}

/// The first 128 bits, in hexadecimal digits.
pub fn hex(digest: &[u8]) -> String {
    let first = digest.first_chunk().copied().map(u128::from_be_bytes);
    format!("{:032x}", first.unwrap_or_default())
}
