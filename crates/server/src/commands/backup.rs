//! `switchboard backup`. A file under its final name is complete: it is written under another name and renamed.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use domain::Clock;
use domain::base::keys::SecretKey;
use store::Db;
use store::platform::backup::{OpenFolderFile, SealedWriter, Summary};

use super::{Context, progress};
use crate::{bootstrap, keys, ownership};

const HELP: &str = "\
The file is a consistent snapshot, even while servers use the database; only its owner can read it. On a Citus cluster, \
each server of the cluster has a snapshot of its own, made at nearly the same time: each tenant is consistent, and so \
are the accounts of the installation, but not all of them with each other. It does not \
contain the secret key: keep the key elsewhere, because a restored database cannot be used without it.
The backup includes message files, unless media.store puts them in a bucket; then it reports how many are there.
With --seal-key, the backup is encrypted and cannot be changed unnoticed. The key is 32 random bytes in a file, made \
with `openssl rand -base64 32`; keep it apart from the backups. Without it, nobody can restore the backup.
With --json: {\"file\", \"schema\", \"created_at\", \"key_fingerprint\", \"rows\": {\"<table>\": count}}; also \
\"seal_key_fingerprint\" if the backup is sealed, and \"files_elsewhere\" or \"files_lost\" if message files are left \
out.";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Backup {
    /// Where to write the backup; `-` is standard output.
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    replace: bool,
    /// Seal the backup with the key in this file.
    #[arg(long, value_name = "KEY_FILE")]
    seal_key: Option<PathBuf>,
}

impl Backup {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let to_stdout = self.file.as_os_str() == "-";
        if to_stdout && io::stdout().is_terminal() {
            bail!("a backup cannot be printed to a terminal: name a file, or redirect standard output");
        }
        if !to_stdout && !self.replace && self.file.exists() {
            bail!("{} already exists: name another file, or add --replace", self.file.display());
        }
        let seal_key = self.seal_key.as_deref().map(keys::read).transpose().context("--seal-key")?;
        let settings = context.settings()?;
        let db = bootstrap::database(&settings)?;
        let from = Source { db, folder: Some(bootstrap::media_folder(&settings)), seal_key };
        let summary = if to_stdout { save(&from, io::stdout()).await? } else { save_as(&from, &self.file).await? };
        let mut result = serde_json::to_value(&summary)?;
        result["file"] = self.file.display().to_string().into();
        if let Some(key) = &from.seal_key {
            result["seal_key_fingerprint"] = key.fingerprint().into();
        }
        let text = || format!("{} rows saved to {}{}", summary.total(), self.file.display(), files_left_out(&summary));
        let printed =
            if to_stdout { context.output.print_to_stderr(&result, text) } else { context.output.print(&result, text) };
        Ok(printed?)
    }
}

/// What is saved: a database, and the folder of files; and the key that the backup is sealed with, if it is.
struct Source {
    db: Db,
    folder: Option<PathBuf>,
    seal_key: Option<SecretKey>,
}

/// Text about files of messages that are not in the backup; empty if all are.
fn files_left_out(summary: &Summary) -> String {
    let bucket = (summary.files_elsewhere > 0).then(|| {
        format!("; {} message files are in their bucket, which you must back up separately", summary.files_elsewhere)
    });
    let lost = (summary.files_lost > 0)
        .then(|| format!("; {} message files are missing from their folder and were not saved", summary.files_lost));
    [bucket, lost].into_iter().flatten().collect()
}

async fn save(from: &Source, out: impl Write + Send + 'static) -> anyhow::Result<Summary> {
    let bar = progress::bar(None, "saving");
    let shown = bar.clone();
    let open = from.folder.clone().map(|folder| -> OpenFolderFile {
        Box::new(move |tenant, id| File::open(app::messaging::media::folder::path_in(&folder, tenant, id)))
    });
    let out: Box<dyn Write + Send> = match &from.seal_key {
        Some(key) => Box::new(SealedWriter::new(out, key)?),
        None => Box::new(out),
    };
    let show = move |rows| shown.set_position(rows);
    let summary = store::platform::backup::backup(&from.db, &Clock::system(), out, open, show).await?;
    bar.finish_and_clear();
    Ok(summary)
}

/// Writes to `<path>.part`, syncs it, then renames it.
async fn save_as(from: &Source, path: &Path) -> anyhow::Result<Summary> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let saved = write_part(from, &part).await.and_then(|summary| {
        std::fs::rename(&part, path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(summary)
    });
    if saved.is_err() {
        // Removes the incomplete file; the failure itself is reported.
        let _ = std::fs::remove_file(&part);
    }
    saved
}

async fn write_part(from: &Source, part: &Path) -> anyhow::Result<Summary> {
    let cannot = || format!("cannot write {}", part.display());
    let file = create_private(part).with_context(cannot)?;
    let summary = save(from, file.try_clone().with_context(cannot)?).await?;
    file.sync_all().with_context(cannot)?;
    Ok(summary)
}

/// Creates a file with mode 600, replacing one that an interrupted run left behind.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(ownership::explain(path, error)),
        _ => {}
    }
    create_new_private(path)
}

/// Creates a file with mode 600. Fails if it exists.
pub(super) fn create_new_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| ownership::explain(path, error))
}
