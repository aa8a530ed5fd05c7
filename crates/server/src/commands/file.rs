//! Streams output to a file, which gets its final name when it is complete, or to standard output.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use app::people::contacts::Chunks;
use indicatif::ProgressBar;
use tokio::sync::mpsc;

use super::backup::create_private;
use super::progress;

/// Maximum number of chunks that wait to be written.
const READY: usize = 2;

/// Output file, and whether to replace an existing one.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// Where to write the output; default: standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    replace: bool,
}

impl Target {
    /// `None` for standard output.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|file| file.as_os_str() != "-")
    }

    /// Writes the produced chunks; returns the number of entries.
    pub async fn write<F>(&self, produce: impl FnOnce(Chunks) -> F) -> anyhow::Result<u64>
    where
        F: Future<Output = app::Result<u64>> + Send + 'static,
    {
        let Some(file) = self.file() else { return write(std::io::stdout(), produce).await };
        if !self.replace && file.exists() {
            bail!("{} already exists: name another file, or add --replace", file.display());
        }
        write_as(file, produce).await
    }
}

/// Writes to `<path>.part`, syncs it, then renames it.
async fn write_as<F>(path: &Path, produce: impl FnOnce(Chunks) -> F) -> anyhow::Result<u64>
where
    F: Future<Output = app::Result<u64>> + Send + 'static,
{
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let cannot = || format!("cannot write {}", path.display());
    let out = create_private(&part).with_context(cannot)?;
    let written = write(&out, produce).await.and_then(|entries| {
        out.sync_all().with_context(cannot)?;
        std::fs::rename(&part, path).with_context(cannot)?;
        Ok(entries)
    });
    if written.is_err() {
        // Removes the incomplete file; the failure itself is reported.
        let _ = std::fs::remove_file(&part);
    }
    written
}

async fn write<F>(out: impl Write, produce: impl FnOnce(Chunks) -> F) -> anyhow::Result<u64>
where
    F: Future<Output = app::Result<u64>> + Send + 'static,
{
    let bar = progress::bar(None, "exporting");
    let (send, receive) = mpsc::channel(READY);
    let writing = tokio::spawn(produce(send));
    copy(receive, out, &bar).await?;
    let entries = writing.await??;
    bar.finish_and_clear();
    Ok(entries)
}

/// Writes chunks as they arrive and counts their lines in the progress bar.
pub async fn copy(mut chunks: mpsc::Receiver<Vec<u8>>, mut out: impl Write, bar: &ProgressBar) -> anyhow::Result<()> {
    while let Some(chunk) = chunks.recv().await {
        out.write_all(&chunk)?;
        bar.inc(chunk.split(|byte| *byte == b'\n').count() as u64 - 1);
    }
    Ok(out.flush()?)
}
