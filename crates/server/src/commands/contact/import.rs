//! `switchboard contact import`.

use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use app::App;
use app::people::contacts::Chunks;
use app::people::imports::{Format, ImportEnd, ImportProgress, LocalFile, LocalImport, status_of};
use domain::people::consent_values::{ConsentColumn, ConsentReading, ConsentValue};
use domain::{Field, Place};
use indicatif::{HumanCount, ProgressBar};
use serde_json::{Value, json};
use store::people::imports::Reject;
use tokio::sync::mpsc;

use super::export::format;
use crate::commands::backup::create_private;
use crate::commands::file::copy;
use crate::commands::tenant_arg::TenantArg;
use crate::commands::{Context, progress};
use crate::output::visible;

const HELP: &str = "\
A CSV file needs a header row: phone (or whatsapp_number, number, mobile) or bsuid, name, opted_in, allow_broadcast, \
allow_sms, teams (separated by ;), custom_params (JSON). Any other column is an attribute of that name; attribute.NAME \
is always an attribute. opted_in (or consent, opt_in) opts in only with a value that clearly says so; --dry-run \
prints how each value is read. JSON Lines have the same members, with attributes in custom_params. A row with a known \
number or BSUID updates that contact; an empty cell changes nothing, and neither does importing the same file again.
To continue an interrupted import where it stopped, run the same command again.
With --json: {\"id\", \"status\", \"format\", \"dry_run\", \"resumed\", \"bytes_total\", \"bytes_done\", \"rows_done\", \"created\", \
\"updated\", \"unchanged\", \"rejected\", \"consent_values\": [{\"value\", \"rows\", \"read_as\"}], \
\"first_rejected\": [{\"row\", \"column\", \"reason\"}], \"seconds\"}.

Examples:
  switchboard contact import contacts.csv --tenant 100138 --dry-run
  switchboard contact import contacts.csv --tenant 100138 --rejected rejected.csv
  zcat contacts.jsonl.gz | switchboard contact import - --tenant 100138";

/// Pause after each transaction, in which a server on the same SQLite database gets the write lock.
const PAUSE: Duration = Duration::from_millis(2);
/// Maximum number of rejected rows that are printed.
const SHOWN: i64 = 10;

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Import {
    /// The file to import; `-` is standard input.
    file: PathBuf,
    #[command(flatten)]
    tenant: TenantArg,
    /// Check each row without changing anything.
    #[arg(long)]
    dry_run: bool,
    /// csv or jsonl. Default: detected from the file name or its first byte.
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    /// The values of the consent column that opt a contact in, separated by commas; all others opt out. Default: yes,
    /// true, 1 and the like.
    #[arg(long, value_name = "VALUES", value_delimiter = ',')]
    opted_in_values: Option<Vec<String>>,
    /// Where to write rejected rows, with the reason for each.
    #[arg(long, value_name = "FILE")]
    rejected: Option<PathBuf>,
    /// Where to write the verdict for each row, as JSON Lines.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// Start from the beginning instead of continuing an interrupted run.
    #[arg(long)]
    restart: bool,
}

impl Import {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let (app, me) = self.tenant.open(context).await?;
        let file = open(&self.file)?;
        let rejected = self.rejected.as_deref().map(|path| self.result_file(path)).transpose()?;
        let verdicts = self.verdicts.as_deref().map(|path| self.result_file(path)).transpose()?;
        let begun = Instant::now();
        let done = self.import(&app, me, file).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let id = done.import.id;
        if let Some(out) = rejected {
            let app = app.clone();
            save(out, async move |chunks| app.people().contacts().rejected(&me, id, &chunks).await).await?;
        }
        if let Some(out) = verdicts {
            let app = app.clone();
            save(out, async move |chunks| app.people().contacts().verdicts(&me, id, &chunks).await).await?;
        }
        self.print_summary(context, (&app, me), &done, seconds).await
    }

    /// Creates the file with mode 600, because it contains contacts.
    fn result_file(&self, path: &Path) -> anyhow::Result<File> {
        let same =
            std::fs::canonicalize(path).ok().zip(std::fs::canonicalize(&self.file).ok()).is_some_and(|(a, b)| a == b);
        if same {
            bail!("{} is the file being imported: name another file for the results", path.display());
        }
        create_private(path).with_context(|| format!("cannot write {}", path.display()))
    }

    async fn import(&self, app: &App, me: app::Command, file: File) -> anyhow::Result<LocalImport> {
        let consent = ConsentColumn::opting_in(self.opted_in_values.as_deref())
            .map_err(|error| app::Error::invalid(Place::named("--opted-in-values"), error))?;
        let bar = progress::byte_bar(file.metadata().map_or(0, |about| about.len()));
        let local = LocalFile {
            file,
            format: self.format.or_else(|| Format::of_file(&self.file)),
            dry_run: self.dry_run,
            consent,
            restart: self.restart,
            batch_rows: None,
            pause: PAUSE,
        };
        let stopped = progress::on_interrupt();
        let stop = || stopped.load(Ordering::Relaxed);
        let mut show = shower(&bar);
        let imported = app.people().contacts().import_file(&me, local, &mut show, &stop).await;
        bar.finish_and_clear();
        match imported {
            Err(error @ app::Error::Store(_)) => Err(error)
                .context("the import was interrupted; run the same command again to continue where it stopped"),
            other => Ok(other?),
        }
    }

    async fn print_summary(
        &self,
        context: &Context,
        (app, me): (&App, app::Command),
        done: &LocalImport,
        seconds: f64,
    ) -> anyhow::Result<()> {
        let import = &done.import;
        match done.ended {
            ImportEnd::Stopped => {
                let rows = import.counts.rows;
                bail!("stopped after {rows} rows; run the same command again to continue where it stopped")
            }
            ImportEnd::Failed => {
                return Err(app::Error::invalid(Field::File, import.error.as_deref().unwrap_or_default()).into());
            }
            ImportEnd::Done => {}
        }
        let rejects = app.people().contacts().first_rejects(&me, import.id, SHOWN).await?;
        let result = as_json(done, &rejects, seconds);
        Ok(context.output.print(&result, || self.text(done, &rejects, seconds))?)
    }

    fn text(&self, done: &LocalImport, rejects: &[Reject], seconds: f64) -> String {
        let counts = done.import.counts;
        let (what, resumed) =
            (if self.dry_run { "would be " } else { "" }, if done.resumed { " (resumed)" } else { "" });
        let mut text = format!(
            "{} rows in {seconds:.1} s{resumed}: {} {what}created, {} {what}updated, {} unchanged, {} rejected\n",
            counts.rows, counts.created, counts.updated, counts.unchanged, counts.rejected
        );
        for (ConsentValue { value, rows }, reading) in done.import.consent.found() {
            let value = if value.is_empty() { "(empty)".to_owned() } else { visible(value) };
            let _ = writeln!(text, "consent {value}: {} ({rows} rows)", meaning(reading));
        }
        for Reject { row, column, reason, .. } in rejects {
            let place = if column.is_empty() { String::new() } else { format!(", column {column}") };
            let _ = writeln!(text, "row {row}{place}: {reason}");
        }
        if counts.rejected > SHOWN {
            let _ = writeln!(text, "and {} more", counts.rejected - SHOWN);
        }
        if counts.rejected > 0 && self.rejected.is_none() {
            text.push_str("--rejected FILE writes these rows to a file: correct them there and import that file\n");
        }
        text
    }
}

const fn meaning(reading: ConsentReading) -> &'static str {
    match reading {
        ConsentReading::OptedIn => "opted in",
        ConsentReading::OptedOut => "opted out",
        ConsentReading::Unknown => "not recognized, so opted out",
        ConsentReading::Empty => "unchanged; new contacts are not opted in",
    }
}

fn as_json(done: &LocalImport, rejects: &[Reject], seconds: f64) -> Value {
    let import = &done.import;
    let consent = import.consent.found().map(
        |(ConsentValue { value, rows }, reading)| json!({"value": value, "rows": rows, "read_as": reading.name()}),
    );
    let first = rejects.iter().map(|one| json!({"row": one.row, "column": one.column, "reason": one.reason}));
    json!({
        "id": import.id,
        "status": status_of(import),
        "format": import.format,
        "dry_run": import.dry_run,
        "resumed": done.resumed,
        "bytes_total": import.bytes_total,
        "bytes_done": import.bytes_done,
        "rows_done": import.counts.rows,
        "created": import.counts.created,
        "updated": import.counts.updated,
        "unchanged": import.counts.unchanged,
        "rejected": import.counts.rejected,
        "consent_values": consent.collect::<Vec<_>>(),
        "first_rejected": first.collect::<Vec<_>>(),
        "seconds": (seconds * 1000.0).round() / 1000.0,
    })
}

/// Updates the progress bar with rows and rows per second.
fn shower(bar: &ProgressBar) -> impl FnMut(ImportProgress) + Send {
    let mut first: Option<(Instant, i64)> = None;
    move |done: ImportProgress| {
        let rows = done.counts.rows;
        let (since, from) = *first.get_or_insert_with(|| (Instant::now(), rows));
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = (rows - from) as f64 / since.elapsed().as_secs_f64().max(0.001);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "neither negative nor that large")]
        let rate = rate as u64;
        let rows = u64::try_from(rows).unwrap_or(0);
        bar.set_position(done.bytes);
        bar.set_message(format!("{} rows, {} rows/s", HumanCount(rows), HumanCount(rate)));
    }
}

fn open(path: &Path) -> anyhow::Result<File> {
    if path.as_os_str() == "-" {
        return spooled().context("cannot copy standard input to a temporary file");
    }
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    if file.metadata().with_context(cannot)?.is_dir() {
        bail!("cannot read {}: it is a folder", path.display());
    }
    Ok(file)
}

/// The import reads its input twice, so standard input is copied to an unnamed temporary file first.
fn spooled() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("switchboard-import-{:016x}", rand::random::<u64>()));
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::mode(options.read(true).write(true).create_new(true), 0o600);
    let mut file = options.open(&path)?;
    std::fs::remove_file(&path)?;
    io::copy(&mut io::stdin().lock(), &mut file)?;
    Ok(file)
}

async fn save<F: Future<Output = app::Result<()>> + Send>(
    out: File,
    write: impl FnOnce(Chunks) -> F,
) -> anyhow::Result<()> {
    let (send, receive) = mpsc::channel(2);
    let hidden = ProgressBar::hidden();
    let (written, copied) = tokio::join!(write(send), copy(receive, out, &hidden));
    written?;
    copied
}
