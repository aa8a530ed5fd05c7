//! Writes the files of the user interface, their compressed variants, and a table of them as Rust code to `OUT_DIR`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::plan::Absence;
use super::sources::hex;

/// The table that `src/lib.rs` includes.
const TABLE: &str = "embedded.rs";
/// A compressed variant is embedded only if it is below this percentage of the original size.
const WORTH_PERCENT: usize = 95;

/// Whether a folder has a built user interface.
pub fn check_built(folder: &Path) -> Result<(), Absence> {
    let built = folder.join("index.html").is_file();
    if built { Ok(()) } else { Err(Absence::NotBuilt(folder.to_owned())) }
}

pub fn write_embedded(built: Result<&Path, &Absence>, out: &Path) -> io::Result<()> {
    let files = out.join("files");
    if files.exists() {
        fs::remove_dir_all(&files)?;
    }
    fs::create_dir_all(&files)?;
    let mut table = String::new();
    let absence = match built {
        Ok(folder) => {
            let mut paths = Vec::new();
            list(folder, "", &mut paths)?;
            paths.sort();
            for (number, (path, file)) in paths.iter().enumerate() {
                table.push_str(&write_file(path, &fs::read(file)?, &files, number)?);
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

/// Writes one file and, if it is worth it, its compressed variant, both named by `number`. Returns the file's entry of
/// the table.
fn write_file(path: &str, content: &[u8], files: &Path, number: usize) -> io::Result<String> {
    fs::write(files.join(number.to_string()), content)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    let compressed = encoder.finish()?;
    let mut gzip = "None".to_owned();
    if compressed.len() * 100 < content.len() * WORTH_PERCENT {
        fs::write(files.join(format!("{number}.gz")), compressed)?;
        gzip = format!("Some({})", include(&format!("{number}.gz")));
    }
    let (hash, content) = (hex(&Sha256::digest(content)), include(&number.to_string()));
    Ok(format!("EmbeddedFile {{ path: {path:?}, hash: {hash:?}, content: {content}, gzip: {gzip} }},\n"))
}

fn include(name: &str) -> String {
    format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/files/{name}\"))")
}
