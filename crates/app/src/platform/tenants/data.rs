//! All data of a tenant: exported, and deleted with the tenant.

use domain::{Field, Id, MediaId, TenantId};
use serde_json::Value;
use store::base::tenant_data;

use crate::messaging::media::OpenFile;
use crate::platform::tenants::TenantLifeCycle;
use crate::{ActsFor, Error, Result};

/// Rows of each table that one transaction deletes.
const BATCH: i64 = 200;
/// Files of one read.
const FILES: i64 = 500;

#[boxed::futures]
impl TenantLifeCycle<'_> {
    /// Notes the export in the audit log and returns the names of the tables that `export_rows` reads.
    pub async fn begin_export(&self, caller: &dyn ActsFor) -> Result<Vec<&'static str>> {
        self.0.identity().tenants().find(caller.tenant()).await?;
        self.0.identity().audit().record(caller, "tenant.export", serde_json::json!({})).await?;
        Ok(tenant_data::exported_tables().collect())
    }

    /// Visits every row of a table that the tenant has, as a JSON object without secrets.
    pub async fn export_rows(
        &self,
        caller: &dyn ActsFor,
        table: &str,
        visit: &mut (dyn FnMut(Value) -> store::Result<()> + Send),
    ) -> Result<()> {
        Ok(tenant_data::each_row(self.0.db(), table, caller.tenant(), visit).await?)
    }

    /// The files of messages and canned replies that are stored, after this one.
    pub async fn stored_files(&self, caller: &dyn ActsFor, after: Option<MediaId>) -> Result<Vec<MediaId>> {
        let after = after.unwrap_or(Id::from_bytes([0; 12]));
        let files = store::messaging::media::list_after(self.0.db(), caller.tenant(), after, FILES).await?;
        Ok(files.into_iter().map(|file| file.id).collect())
    }

    /// None where the file was removed meanwhile, or was not stored whole.
    pub async fn open_file(&self, caller: &dyn ActsFor, file: MediaId) -> Result<Option<OpenFile>> {
        self.0.messaging().media().open_stored(caller.tenant(), file).await
    }

    /// Deletes a suspended tenant with all of its rows and files, in small batches: other tenants' writes go on in
    /// between. If it is cut off, the tenant stays suspended, and the deletion can be repeated. `show` gets the number
    /// of rows deleted so far.
    pub async fn delete(&self, caller: &dyn ActsFor, show: &mut (dyn FnMut(u64) + Send)) -> Result<u64> {
        let id = caller.tenant();
        if self.0.identity().tenants().find(id).await?.suspended_at.is_none() {
            let next = format!("suspend it first: switchboard tenant suspend {id}");
            return Err(Error::conflict(Field::Id, format!("tenant {id} is active; {next}")));
        }
        // Without channels and requests for files, no further file arrives while the files are deleted.
        let mut rows = self.delete_rows(id, &[tenant_data::FILES], show).await?;
        self.delete_files(id).await?;
        rows += self.delete_rows(id, &[], &mut |more| show(rows + more)).await?;
        let input = (caller.audit_actor(), id, self.0.now(), rows);
        self.0
            .identity()
            .write_and_publish_credentials(input, |tx, (actor, id, now, rows)| {
                Box::pin(async move {
                    // What a server wrote since the last batch.
                    tenant_data::delete_some(tx, *id, &[], BATCH).await?;
                    tenant_data::delete_tenant(tx, *id).await?;
                    let details = serde_json::json!({"rows": rows});
                    actor.record(tx, TenantId::INSTALLATION, *now, "tenant.delete", &id.to_string(), details).await?;
                    store::delivery::webhooks::endpoints_changed(tx).await?;
                    store::base::epochs::bump_credentials(tx).await
                })
            })
            .await?;
        Ok(rows)
    }

    /// Deletes the rows of all tables but `kept`, and returns how many. `show` gets the number so far.
    async fn delete_rows(
        &self,
        id: TenantId,
        kept: &'static [&'static str],
        show: &mut (dyn FnMut(u64) + Send),
    ) -> Result<u64> {
        let mut rows = 0;
        loop {
            let batch = self.0.db().write(id, move |tx, id| Box::pin(tenant_data::delete_some(tx, *id, kept, BATCH)));
            let deleted = batch.await?;
            if deleted == 0 {
                return Ok(rows);
            }
            rows += deleted;
            show(rows);
        }
    }

    /// Bytes outside the database go before the rows that name them.
    async fn delete_files(&self, id: TenantId) -> Result<()> {
        let mut after = Id::from_bytes([0; 12]);
        loop {
            let batch = store::messaging::media::list_after(self.0.db(), id, after, FILES).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = last.id;
            for file in &batch {
                if let Some(place) = file.store {
                    self.0.messaging().media().delete_bytes(id, file.id, place).await?;
                }
            }
        }
    }
}
