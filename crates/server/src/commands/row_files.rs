//! Files that an export writes into a folder: one of JSON lines for each table, and the files of messages. Only their
//! owner can read them, also after they were moved out of the folder.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use anyhow::Context as _;
use app::App;
use domain::{MediaId, TenantId};
use futures_util::StreamExt as _;
use serde_json::Value;

use super::backup::create_new_private;
use crate::ownership;

/// Creates the folder of an export, which only its owner can read. It must not exist yet.
pub fn create_folder(folder: &Path) -> anyhow::Result<()> {
    let made = fs::DirBuilder::new().mode(0o700).create(folder);
    made.map_err(|error| ownership::explain(folder, error))
        .with_context(|| format!("cannot create the folder {}", folder.display()))
}

/// The rows of one table; a table without rows has an empty file.
pub struct RowFile {
    out: BufWriter<File>,
    rows: u64,
    failed: Option<std::io::Error>,
}

impl RowFile {
    pub fn create(folder: &Path, table: &str) -> anyhow::Result<Self> {
        let file = create_new_private(&folder.join(format!("{table}.jsonl")))?;
        Ok(Self { out: BufWriter::new(file), rows: 0, failed: None })
    }

    /// Writes a row. After a failure nothing more is written, and `finish` returns it.
    pub fn write_row(&mut self, row: &Value) {
        if self.failed.is_none() {
            self.failed = writeln!(self.out, "{row}").err();
            self.rows += 1;
        }
    }

    /// Returns the number of rows when they are on the disk.
    pub fn finish(self) -> anyhow::Result<u64> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        self.out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        Ok(self.rows)
    }
}

/// Writes a stored file under its id, with the ending of its name. False where the file was removed meanwhile, or was
/// not stored whole.
pub async fn write_stored(app: &App, tenant: TenantId, id: MediaId, folder: &Path) -> anyhow::Result<bool> {
    let Some(mut file) = app.platform().tenants().open_file(&app::Command(tenant), id).await? else { return Ok(false) };
    let ending = file.name.rsplit_once('.').map_or("bin", |(_, ending)| ending);
    let safe = ending.chars().all(|c| c.is_ascii_alphanumeric());
    let mut out = create_new_private(&folder.join(format!("{id}.{}", if safe { ending } else { "bin" })))?;
    while let Some(piece) = file.body.next().await {
        let piece = piece.map_err(|error| anyhow::anyhow!("cannot read file {id}: {error}"))?;
        out.write_all(&piece)?;
    }
    out.sync_all()?;
    Ok(true)
}
