//! `switchboard tenant export` and `delete`.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use app::App;
use domain::TenantId;

use super::{Delete, Export};
use crate::commands::row_files::{RowFile, create_folder, write_stored};
use crate::commands::{Context, progress};

impl Export {
    pub(super) async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, folder) = (self.tenant.id(), self.to.as_path());
        app.identity().tenants().find(tenant).await?;
        create_folder(folder)?;
        let bar = progress::bar(None, "rows");
        let mut rows = BTreeMap::new();
        for table in app.platform().tenants().begin_export(&app::Command(tenant)).await? {
            let count = export_table(app, tenant, table, folder, || bar.inc(1)).await;
            rows.insert(table, count.with_context(|| format!("cannot export the table {table}"))?);
        }
        let files = export_files(app, tenant, &folder.join("files")).await.context("cannot export the files")?;
        bar.finish_and_clear();
        let total: u64 = rows.values().sum();
        let result = serde_json::json!({"folder": folder, "rows": rows, "files": files});
        context.output.print(&result, || {
            format!("tenant {tenant} exported to {}: {total} rows, {files} files", folder.display())
        })?;
        Ok(())
    }
}

async fn export_table(
    app: &App,
    tenant: TenantId,
    table: &str,
    folder: &Path,
    mut count_row: impl FnMut() + Send,
) -> anyhow::Result<u64> {
    let mut out = RowFile::create(folder, table)?;
    let mut visit = |row: serde_json::Value| {
        out.write_row(&row);
        count_row();
        Ok(())
    };
    app.platform().tenants().export_rows(&app::Command(tenant), table, &mut visit).await?;
    out.finish()
}

async fn export_files(app: &App, tenant: TenantId, folder: &Path) -> anyhow::Result<u64> {
    create_folder(folder)?;
    let (mut after, mut count) = (None, 0);
    loop {
        let batch = app.platform().tenants().stored_files(&app::Command(tenant), after).await?;
        let Some(last) = batch.last() else { return Ok(count) };
        after = Some(*last);
        for id in batch {
            count += u64::from(write_stored(app, tenant, id, folder).await?);
        }
    }
}

impl Delete {
    pub(super) async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let tenant = app.identity().tenants().find(self.tenant.id()).await?;
        if !self.yes {
            confirm(&tenant)?;
        }
        let bar = progress::bar(None, "rows");
        let rows =
            app.platform().tenants().delete(&app::Command(tenant.id), &mut |rows| bar.set_position(rows)).await?;
        bar.finish_and_clear();
        context.wait_for_servers(app).await;
        app.platform().tenants().delete_late_rows(tenant.id).await?;
        let result = serde_json::json!({"id": tenant.id, "rows": rows});
        Ok(context.output.print(&result, || format!("tenant {} deleted: {rows} rows", tenant.id))?)
    }
}

/// Asks for the name of the tenant, so that no other one is deleted by mistake.
fn confirm(tenant: &domain::identity::tenants::Tenant) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        bail!("without a terminal to ask for confirmation, deleting a tenant requires --yes");
    }
    let _ = write!(std::io::stderr(), "Type the name of tenant {} ({}) to delete it: ", tenant.id, tenant.name);
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    if typed.trim() != tenant.name {
        bail!("the name does not match; nothing was deleted");
    }
    Ok(())
}
