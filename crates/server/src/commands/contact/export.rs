//! `switchboard contact export`. A file under its final name is complete.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use app::App;
use app::contacts::import::{Format, NotAFormat};
use domain::TenantId;
use domain::contacts::Filter;
use indicatif::ProgressBar;
use serde_json::json;
use tokio::sync::mpsc;

use super::app_of;
use super::filter::Chosen;
use crate::commands::backup::create_private;
use crate::commands::{Context, progress};

const HELP: &str = "\
Oldest first, with a column for each attribute; an import of the file elsewhere makes the same contacts. Cells that a \
spreadsheet would run as formulas have a ' in front, which an import takes off again.
With --json: {\"file\", \"format\", \"contacts\"}, on standard error where the contacts go to standard output.

Example:
  switchboard contact export --tenant 100138 --output contacts.csv --attribute '[{\"name\":\"city\",\"operator\":\"==\",\"value\":\"Berlin\"}]'";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Export {
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    tenant: TenantId,
    /// csv or jsonl; without it the name of the file tells it, else csv.
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    /// Where to write it; without it standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if there is one.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    chosen: Chosen,
}

pub fn format(text: &str) -> Result<Format, NotAFormat> {
    text.parse()
}

impl Export {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = (app_of(context, self.tenant).await?, app::Command(self.tenant));
        let file = self.output.filter(|file| file.as_os_str() != "-");
        let format = self.format.or_else(|| Format::of_file(file.as_ref()?)).unwrap_or(Format::Csv);
        let filter = self.chosen.filter(&app, &me).await?;
        let Some(file) = file else {
            let contacts = write(app, me, filter, format, std::io::stdout()).await?;
            let result = json!({"file": null, "format": format.name(), "contacts": contacts});
            return Ok(context.output.say_aside(&result, || format!("{contacts} contacts exported"))?);
        };
        if !self.force && file.exists() {
            bail!("{} exists already: name another file, or add --force", file.display());
        }
        let contacts = write_as(app, me, filter, format, &file).await?;
        let result = json!({"file": file.display().to_string(), "format": format.name(), "contacts": contacts});
        Ok(context.output.say(&result, || format!("{contacts} contacts exported to {}", file.display()))?)
    }
}

/// Under another name until it is whole and on the disk.
async fn write_as(app: App, me: app::Command, filter: Filter, format: Format, path: &Path) -> anyhow::Result<u64> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let cannot = || format!("cannot write {}", path.display());
    let out = create_private(&part).with_context(cannot)?;
    let written = write(app, me, filter, format, &out).await.and_then(|contacts| {
        out.sync_all().with_context(cannot)?;
        std::fs::rename(&part, path).with_context(cannot)?;
        Ok(contacts)
    });
    if written.is_err() {
        // What is left of a failed export helps nobody; the failure itself is told.
        let _ = std::fs::remove_file(&part);
    }
    written
}

async fn write(app: App, me: app::Command, filter: Filter, format: Format, out: impl Write) -> anyhow::Result<u64> {
    let bar = progress::bar(None, "exporting");
    let (send, receive) = mpsc::channel(2);
    let writing = tokio::spawn(async move { app.contacts().export(&me, &filter, format, &send).await });
    copy(receive, out, &bar).await?;
    let contacts = writing.await??;
    bar.finish_and_clear();
    Ok(contacts)
}

/// Whatever comes, as it comes.
pub async fn copy(mut chunks: mpsc::Receiver<Vec<u8>>, mut out: impl Write, bar: &ProgressBar) -> anyhow::Result<()> {
    while let Some(chunk) = chunks.recv().await {
        out.write_all(&chunk)?;
        bar.inc(chunk.split(|byte| *byte == b'\n').count() as u64 - 1);
    }
    Ok(out.flush()?)
}
