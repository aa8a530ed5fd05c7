//! `switchboard restore`.

use std::fs::File;
use std::path::PathBuf;

use anyhow::Context as _;
use domain::Clock;
use store::platform::backup::{BackupError, BackupInput, Summary, open_backup};
use store::{Db, Location};

use super::{Context, progress};
use crate::bootstrap::{self, Creation};
use crate::settings::Settings;
use crate::{keys, output};

const HELP: &str = "\
The whole backup is checked before the database changes, and it is restored completely or not at all. Backups can be \
restored across database types: SQLite to PostgreSQL and back. Start servers with the secret key of the backed-up \
database. A sealed backup needs --seal-key with the key that it was sealed with.
With --json: {\"file\", \"schema\", \"created_at\", \"key_fingerprint\", \"rows\": {\"<table>\": count}}.";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Restore {
    /// The file that `switchboard backup` wrote.
    file: PathBuf,
    /// Replace all data in a database that already has tenants.
    #[arg(long)]
    replace: bool,
    /// Create an installation in the folder of --data if there is none. The default folder needs no permission.
    #[arg(long)]
    create: bool,
    /// The file with the key that the backup was sealed with.
    #[arg(long, value_name = "KEY_FILE")]
    seal_key: Option<PathBuf>,
}

impl Restore {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let file = File::open(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let seal_key = self.seal_key.as_deref().map(keys::read).transpose().context("--seal-key")?;
        let file = open_backup(file, seal_key.as_ref()).map_err(with_flag)?;
        let loaded = context.load_with_warnings()?;
        let creation = if self.create { Creation::Allowed } else { Creation::without_option(&loaded) };
        let settings = loaded.settings;
        let new = new_file(&settings);
        // The lock keeps a server away from a new database until it is complete.
        let (db, _lock) = bootstrap::database_to_restore(&settings, creation)?;
        let restored = restore(&db, file, self.replace).await;
        if let (Err(_), Some(new)) = (&restored, new) {
            drop(db);
            remove(&new);
        }
        let summary = restored?;
        warn_of_other_key(&settings, &summary);
        self.print_summary(context, &summary)
    }

    fn print_summary(&self, context: &Context, summary: &Summary) -> anyhow::Result<()> {
        let mut result = serde_json::to_value(summary)?;
        result["file"] = self.file.display().to_string().into();
        context.output.print(&result, || format!("{} rows restored, as of {}", summary.total(), summary.created_at))?;
        Ok(())
    }
}

async fn restore(db: &Db, file: BackupInput<File>, replace: bool) -> anyhow::Result<Summary> {
    store::migrate(db, &Clock::system()).await?;
    let bar = progress::bar(Some(0), "restoring");
    let shown = bar.clone();
    let show = move |done, total| {
        shown.set_length(total);
        shown.set_position(done);
    };
    let summary = store::platform::backup::restore(db, file, replace, show).await;
    bar.finish_and_clear();
    let summary = summary.map_err(with_flag)?;
    index_contacts(db, &summary).await?;
    Ok(summary)
}

/// Builds the contact index, which a backup does not hold: running servers need it now; a server that starts later
/// would build it itself.
async fn index_contacts(db: &Db, summary: &Summary) -> anyhow::Result<()> {
    let bar = progress::bar(summary.rows.get("contacts").copied(), "indexing contacts");
    let built = store::people::contacts::rebuild(db, &mut |done| bar.set_position(done)).await;
    bar.finish_and_clear();
    Ok(built?)
}

/// Errors that a flag avoids name it; others stay as they are.
fn with_flag(error: BackupError) -> anyhow::Error {
    match error {
        BackupError::Sealed(key) => {
            anyhow::anyhow!("the backup is sealed with the key {key}: name the file of this key with --seal-key")
        }
        BackupError::NotSealed => {
            anyhow::anyhow!(
                "the backup is not sealed: leave --seal-key out, if the file comes from a place that you trust"
            )
        }
        BackupError::NotEmpty => {
            anyhow::anyhow!("the database already has tenants: restore into an empty one, or add --replace")
        }
        other => other.into(),
    }
}

/// The embedded database file, if this command is going to create it.
fn new_file(settings: &Settings) -> Option<PathBuf> {
    match bootstrap::location(settings) {
        Location::Sqlite { file } if !file.exists() => Some(file),
        _ => None,
    }
}

/// Removes the empty database of a failed restore: a server refuses a database file without a key file beside it.
fn remove(database: &std::path::Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut file = database.as_os_str().to_owned();
        file.push(ending);
        // A file that cannot be removed is reported by the next start.
        let _ = std::fs::remove_file(file);
    }
}

/// Warns when the configured key is not that of the restored database, which servers then refuse to open.
fn warn_of_other_key(settings: &Settings, summary: &Summary) {
    let Some(needed) = &summary.key_fingerprint else { return };
    let present = keys::find(settings, &bootstrap::location(settings)).ok().flatten();
    if present.is_some_and(|keyring| keyring.present().fingerprint() == *needed) {
        return;
    }
    output::warn(&format!(
        "servers need the secret key with the fingerprint {needed}, which is not the one configured here: \
         put that key into {} or set it as secret_key",
        settings.data.join(keys::KEY_FILE).display()
    ));
}
