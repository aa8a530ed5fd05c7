//! `switchboard tenant export` and `delete`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use app::App;
use domain::TenantId;

use super::{Delete, Export};
use crate::commands::row_files::{RowFile, create_folder, write_stored};
use crate::commands::{Context, progress};

impl Export {
    pub(super) async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (tenant, folder) = (self.tenant.find(app).await?, self.output.as_path());
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
        let tenant = app.identity().tenants().find(self.tenant).await?;
        self.confirmation.ask_for_name(&format!("tenant {}", tenant.id), &tenant.name)?;
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
