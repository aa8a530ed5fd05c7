//! `switchboard contact export-data`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use app::people::contacts::tables_about_person;
use domain::MediaId;
use serde_json::{Value, json};

use crate::commands::Context;
use crate::commands::row_files::{RowFile, create_folder, write_stored};
use crate::commands::tenant_arg::TenantArg;

pub const JSON: &str = "\
TARGET is a phone number, a contact id or a BSUID. Each row is a JSON object with a member for each column; times are \
in RFC 3339, ids in hexadecimal. Rows of contacts merged into this one are included. Events in the log are not: they \
are deleted after events.keep_days.
With --json: {\"contact_id\", \"folder\", \"rows\": {\"<table>\": count}, \"files\"}.";

/// The table that names the files of messages.
const FILES: &str = "media";

#[derive(Debug, clap::Args)]
pub struct ExportData {
    /// A phone number, contact id or BSUID.
    target: String,
    #[command(flatten)]
    tenant: TenantArg,
    /// A folder that does not exist yet; only its owner can read it.
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
}

impl ExportData {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let ((app, me), folder) = (self.tenant.open(context).await?, self.output.as_path());
        let contacts = app.people().contacts().begin_data_export(&me, &self.target).await?;
        create_folder(folder)?;
        let (mut rows, mut files): (_, Vec<MediaId>) = (BTreeMap::new(), Vec::new());
        for table in tables_about_person() {
            let mut out = RowFile::create(folder, table)?;
            let mut visit = |row: Value| {
                if table == FILES {
                    files.extend(row["id"].as_str().and_then(|id| id.parse::<MediaId>().ok()));
                }
                out.write_row(&row);
                Ok(())
            };
            app.people().contacts().export_data(&me, &contacts, table, &mut visit).await?;
            rows.insert(table, out.finish().with_context(|| format!("cannot export the table {table}"))?);
        }
        let stored = folder.join("files");
        create_folder(&stored)?;
        files.sort_unstable();
        files.dedup();
        let mut written = 0;
        for id in files {
            written += u64::from(write_stored(&app, me.0, id, &stored).await?);
        }
        let (id, total) = (contacts.first(), rows.values().sum::<u64>());
        let result = json!({"contact_id": id, "folder": folder, "rows": rows, "files": written});
        Ok(context
            .output
            .print(&result, || format!("exported to {}: {total} rows, {written} files", folder.display()))?)
    }
}
