//! Writes a backup of a database while servers go on using it.

use std::io::Write;

use domain::{Clock, Timestamp};

use super::blocking::on_blocking_thread;
use super::files::{self, OpenFolderFile, OutsideFiles, SavedAs};
use super::format::{Header, VERSION};
use super::schema::{APPLIED, present_schema};
use super::snapshot::{Snapshot, of_postgres, of_sqlite};
use super::write::Writer;
use super::{BackupError, Summary};
use futures_util::future::BoxFuture;

use crate::base::db::Driver;
use crate::base::installation;
use crate::base::tables::{self, BackupRule, TableShape};
use crate::{Db, Row};

/// Rows between two reports of progress.
const PROGRESS_ROWS: u64 = 1000;

/// Writes the tables to save (`BackupRule::Saved`) to `out`, all from one snapshot of the database. `progress` gets the
/// number of written rows.
///
/// `files` opens files of messages that are in a folder: they become part of the backup. Flushes `out` at the end. The
/// caller syncs and renames the file.
pub fn backup(
    db: &Db,
    clock: &Clock,
    out: impl Write + Send + 'static,
    files: Option<OpenFolderFile>,
    progress: impl Fn(u64) + Send + 'static,
) -> BoxFuture<'static, Result<Summary, BackupError>> {
    backup_to(db.clone(), clock.now(), Box::new(out), files, Box::new(progress))
}

type Output = Box<dyn Write + Send>;
type Progress = Box<dyn Fn(u64) + Send>;

#[boxed::futures]
async fn backup_to(
    db: Db,
    now: Timestamp,
    out: Output,
    files: Option<OpenFolderFile>,
    progress: Progress,
) -> Result<Summary, BackupError> {
    on_blocking_thread(move || async move {
        let files = OutsideFiles::new(files);
        let work = async |snapshot: Snapshot<'_>| save(snapshot, now, out, files, progress).await;
        match db.driver() {
            Driver::Sqlite(sqlite) => of_sqlite(sqlite, work).await,
            Driver::Postgres(postgres) => of_postgres(postgres, work).await,
        }
    })
    .await
}

async fn save(
    snapshot: Snapshot<'_>,
    now: Timestamp,
    out: Output,
    mut files: OutsideFiles,
    progress: Progress,
) -> Result<Summary, BackupError> {
    let header = header(snapshot, now).await?;
    let tables = tables::shapes_of(snapshot.all(&tables::COLUMNS).await?)?;
    let mut writer = Writer::new(out);
    writer.mark(&header)?;
    for table in tables.iter().filter(|table| table.backup_rule == BackupRule::Saved) {
        writer.table(table)?;
        let write = &mut |row: &Row<'_>| {
            let without = match judged(&mut files, table, row)? {
                SavedAs::ItIs => None,
                SavedAs::InDatabase(column) => Some(column),
                SavedAs::Nothing => return Ok(()),
            };
            let written = writer.row(table, row, without)?;
            if written.is_multiple_of(PROGRESS_ROWS) {
                progress(written);
            }
            Ok(())
        };
        snapshot.rows(table, write).await?;
        if table.name == files::PIECES {
            files.write(table, &mut writer)?;
        }
    }
    let summary =
        Summary { files_elsewhere: files.elsewhere, files_lost: files.lost, ..Summary::new(header, writer.finish()?) };
    progress(summary.total());
    Ok(summary)
}

fn judged(files: &mut OutsideFiles, table: &TableShape, row: &Row<'_>) -> Result<SavedAs, BackupError> {
    if table.name != files::TABLE {
        return Ok(SavedAs::ItIs);
    }
    files.judge(table, row).map_err(|source| BackupError::Row { table: table.name, source })
}

async fn header(snapshot: Snapshot<'_>, now: Timestamp) -> Result<Header, BackupError> {
    let applied = snapshot.all(&APPLIED).await;
    let schema = present_schema(applied)?.to_owned();
    let key_fingerprint = key_fingerprint(snapshot).await?;
    Ok(Header { switchboard_backup: VERSION, schema, created_at: now.to_rfc3339(), key_fingerprint })
}

async fn key_fingerprint(snapshot: Snapshot<'_>) -> Result<Option<String>, BackupError> {
    let name = installation::KEY_FINGERPRINT;
    let text = format!("SELECT value FROM installation WHERE tenant_id = 0 AND name = '{name}'");
    Ok(snapshot.all(&composed_statement!(KEY_FINGERPRINT, text)).await?.pop())
}
