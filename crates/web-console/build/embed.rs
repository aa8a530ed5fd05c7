//! Writes the files of the user interface, of the documentation and of the page of the OpenAPI document, compressed
//! where that is worth it, and tables of them as Rust code to `OUT_DIR`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::docs::RenderedFile;
use super::plan::Absence;
use super::sources::hex;

/// The tables that the sources include.
const TABLE: &str = "embedded.rs";
const DOCS_TABLE: &str = "embedded_docs.rs";
const API_DOCS_TABLE: &str = "embedded_api_docs.rs";
/// Folders of the files in `OUT_DIR`.
const FILES: &str = "files";
const DOCS_FILES: &str = "docs_files";
const API_DOCS_FILES: &str = "api_docs_files";
/// A file is embedded compressed only if that is below this percentage of its size.
const WORTH_PERCENT: usize = 95;

/// Whether a folder has a built user interface.
pub fn check_built(folder: &Path) -> Result<(), Absence> {
    let built = folder.join("index.html").is_file();
    if built { Ok(()) } else { Err(Absence::NotBuilt(folder.to_owned())) }
}

pub fn write_embedded(built: Result<&Path, &Absence>, out: &Path) -> io::Result<()> {
    empty_folder(&out.join(FILES))?;
    let mut table = String::new();
    let absence = match built {
        Ok(folder) => {
            let mut paths = Vec::new();
            list(folder, "", &mut paths)?;
            paths.sort();
            for (number, (path, file)) in paths.iter().enumerate() {
                table.push_str(&write_file(path, &fs::read(file)?, out, &format!("{FILES}/{number}"))?);
            }
            "None".to_owned()
        }
        Err(absence) => format!("Some(Absence::{})", variant(absence)),
    };
    let code = format!(
        "static FILES: &[EmbeddedFile] = &[\n{table}];\n\
         const ABSENCE: Option<Absence> = {absence};\n"
    );
    fs::write(out.join(TABLE), code)
}

/// Writes the pages below `/docs`; `files` are in the order of their paths.
pub fn write_docs(files: &[RenderedFile], out: &Path) -> io::Result<()> {
    write_rendered(files, out, DOCS_FILES, DOCS_TABLE)
}

/// Writes the files below `/api/docs/`; `files` are in the order of their paths.
pub fn write_api_docs(files: &[RenderedFile], out: &Path) -> io::Result<()> {
    write_rendered(files, out, API_DOCS_FILES, API_DOCS_TABLE)
}

fn write_rendered(files: &[RenderedFile], out: &Path, folder: &str, table_name: &str) -> io::Result<()> {
    empty_folder(&out.join(folder))?;
    let mut table = String::new();
    for (number, file) in files.iter().enumerate() {
        table.push_str(&write_file(&file.path, &file.content, out, &format!("{folder}/{number}"))?);
    }
    fs::write(out.join(table_name), format!("static FILES: &[EmbeddedFile] = &[\n{table}];\n"))
}

fn empty_folder(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}

/// The variant of `Absence` in `src/lib.rs` for this reason.
fn variant(absence: &Absence) -> &'static str {
    match absence {
        Absence::SwitchedOff => "SwitchedOff",
        Absence::Toolchain(_) => "NodeMissing",
        Absence::SourcesMissing | Absence::BuildFailed(_) | Absence::NotBuilt(_) => "BuildFailed",
    }
}

fn list(folder: &Path, path: &str, found: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if path.is_empty() { name } else { format!("{path}/{name}") };
        if entry.path().is_dir() {
            list(&entry.path(), &path, found)?;
        } else {
            found.push((path, entry.path()));
        }
    }
    Ok(())
}

/// Writes one file to `place` below `OUT_DIR` or, if it is worth it, the compressed file to `place.gz`. Returns the
/// file's entry of the table.
fn write_file(path: &str, content: &[u8], out: &Path, place: &str) -> io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    let compressed = encoder.finish()?;
    let stored = if compressed.len() * 100 < content.len() * WORTH_PERCENT {
        let place = format!("{place}.gz");
        fs::write(out.join(&place), compressed)?;
        format!("Gzip({})", include(&place))
    } else {
        fs::write(out.join(place), content)?;
        format!("Plain({})", include(place))
    };
    let hash = hex(&Sha256::digest(content));
    Ok(format!("EmbeddedFile {{ path: {path:?}, hash: {hash:?}, content: Stored::{stored} }},\n"))
}

fn include(place: &str) -> String {
    format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{place}\"))")
}
