//! `switchboard tenant export` and `delete`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, IsTerminal as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use app::{Actor, App};
use domain::TenantId;
use futures_util::StreamExt as _;

use super::{Delete, Export};
use crate::commands::{Context, progress};

impl Export {
    pub(super) async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, folder) = (self.tenant.id(), self.to.as_path());
        app.tenants().find(tenant).await?;
        let made = fs::DirBuilder::new().mode(0o700).create(folder);
        made.with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let bar = progress::bar(None, "rows");
        let mut rows = BTreeMap::new();
        for table in app.tenants().begin_export(&Actor::command(), tenant).await? {
            let count = export_table(app, tenant, table, folder, || bar.inc(1)).await;
            rows.insert(table, count.with_context(|| format!("cannot export the table {table}"))?);
        }
        let files = export_files(app, tenant, &folder.join("files")).await.context("cannot export the files")?;
        bar.finish_and_clear();
        let total: u64 = rows.values().sum();
        let result = serde_json::json!({"folder": folder, "rows": rows, "files": files});
        context.output.say(&result, || {
            format!("tenant {tenant} exported to {}: {total} rows, {files} files", folder.display())
        })?;
        Ok(())
    }
}

/// Writes the rows of a table; a table without rows has an empty file.
async fn export_table(
    app: &App,
    tenant: TenantId,
    table: &str,
    folder: &Path,
    mut shown: impl FnMut() + Send,
) -> anyhow::Result<u64> {
    let mut out = BufWriter::new(File::create_new(folder.join(format!("{table}.jsonl")))?);
    let (mut count, mut failed) = (0, None);
    let visit = |row: serde_json::Value| {
        if failed.is_none() {
            failed = writeln!(out, "{row}").err();
            count += 1;
            shown();
        }
        Ok(())
    };
    app.tenants().export_rows(tenant, table, visit).await?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    Ok(count)
}

/// Writes every stored file under its id, with the ending of its name.
async fn export_files(app: &App, tenant: TenantId, folder: &Path) -> anyhow::Result<u64> {
    fs::create_dir(folder)?;
    let (mut after, mut count) = (None, 0);
    loop {
        let batch = app.tenants().stored_files(tenant, after).await?;
        let Some(last) = batch.last() else { return Ok(count) };
        after = Some(*last);
        for id in batch {
            let Some(mut file) = app.tenants().open_file(tenant, id).await? else { continue };
            let ending = file.name.rsplit_once('.').map_or("bin", |(_, ending)| ending);
            let safe = ending.chars().all(|c| c.is_ascii_alphanumeric());
            let name = format!("{id}.{}", if safe { ending } else { "bin" });
            let mut out = File::create_new(folder.join(name))?;
            while let Some(piece) = file.body.next().await {
                let piece = piece.map_err(|error| anyhow::anyhow!("file {id} cannot be read: {error}"))?;
                out.write_all(&piece)?;
            }
            out.sync_all()?;
            count += 1;
        }
    }
}

impl Delete {
    pub(super) async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let tenant = app.tenants().find(self.tenant.id()).await?;
        if !self.yes {
            confirm(&tenant)?;
        }
        let bar = progress::bar(None, "rows");
        let rows = app.tenants().delete(&Actor::command(), tenant.id, |rows| bar.set_position(rows)).await?;
        bar.finish_and_clear();
        context.wait_for_servers(app).await;
        let result = serde_json::json!({"id": tenant.id, "rows": rows});
        Ok(context.output.say(&result, || format!("tenant {} deleted: {rows} rows", tenant.id))?)
    }
}

/// Asks for the name of the tenant, so that no other one is deleted by mistake.
fn confirm(tenant: &domain::tenants::Tenant) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        bail!("deleting a tenant needs --yes where there is no terminal to ask at");
    }
    let _ = write!(std::io::stderr(), "Type the name of tenant {} ({}) to delete it: ", tenant.id, tenant.name);
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    if typed.trim() != tenant.name {
        bail!("that is not its name; nothing was deleted");
    }
    Ok(())
}
