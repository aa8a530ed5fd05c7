//! All data of a tenant: exported, and deleted with the tenant.

use std::time::Duration;

use domain::identity::tenants::Tenant;
use domain::{Field, Id, MediaId, TenantId, Timestamp};
use serde_json::Value;
use store::base::tenant_data;
use store::{BatchSize, Tx};

use crate::base::compute::for_tenant;
use crate::base::tenant_lease::TenantJob;
use crate::base::tenant_scan::TenantScan;
use crate::identity::memberships::end_memberships;
use crate::messaging::media::OpenFile;
use crate::platform::tenants::TenantLifeCycle;
use crate::{ActsFor, Error, Result};

/// Most rows of each table that one transaction deletes.
const BATCH: usize = 200;
/// Pause after each transaction: a command deletes a tenant, beside a server that may run on the same SQLite database.
const PAUSE: Duration = Duration::from_millis(2);
/// Files of one read.
const FILES: i64 = 500;
/// The action of the entry about a deletion, in the audit log of the installation.
const DELETED: &str = "tenant.delete";
/// For how many seconds after a deletion the sweep looks for rows that a server wrote later.
const LATE_SECONDS: i64 = 2 * 86_400;

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
        self.0.identity().memberships().end_all_of(id).await?;
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
                    tenant_data::delete_some(tx, *id, &[], i64::MAX).await?;
                    end_memberships(tx, *id, i64::MAX).await?;
                    tenant_data::delete_tenant(tx, *id).await?;
                    delete_leases(tx, *id).await?;
                    let details = serde_json::json!({"rows": rows});
                    actor.record(tx, TenantId::INSTALLATION, *now, DELETED, &id.to_string(), details).await?;
                    store::delivery::webhooks::endpoints_changed(tx).await?;
                    store::base::epochs::bump_credentials(tx).await
                })
            })
            .await?;
        Ok(rows)
    }

    /// Deletes what servers wrote for a deleted tenant after its deletion: they notice it a moment later. Does nothing
    /// if there is a tenant with this id again.
    pub async fn delete_late_rows(&self, id: TenantId) -> Result<()> {
        let mut size = BatchSize::new(self.0.db(), BATCH).with_pause(PAUSE);
        loop {
            let input = (id, self.0.now(), size.limit());
            let batch =
                self.0.db().write_timed(input, |tx, (id, now, limit)| Box::pin(delete_late(tx, *id, *now, *limit)));
            let (deleted, took) = batch.await?;
            if deleted == 0 {
                return Ok(());
            }
            size.record(took).await;
        }
    }

    /// Repeats `delete_late_rows` for the tenants that were deleted in the last days, as the installation's audit log
    /// names them.
    pub async fn sweep_deleted(&self) -> Result<()> {
        let since = self.0.now().plus_seconds(-LATE_SECONDS);
        let deleted = store::identity::audit::subjects(self.0.db(), TenantId::INSTALLATION, DELETED, since).await?;
        let mut scan = TenantScan::new();
        for tenant in deleted.iter().filter_map(|subject| subject.parse::<TenantId>().ok()) {
            if !scan.goes_on_after(tenant, for_tenant(tenant, self.delete_late_rows(tenant)).await) {
                break;
            }
        }
        scan.outcome()
    }

    /// Deletes the rows of all tables but `kept`, and returns how many. `show` gets the number so far.
    async fn delete_rows(
        &self,
        id: TenantId,
        kept: &'static [&'static str],
        show: &mut (dyn FnMut(u64) + Send),
    ) -> Result<u64> {
        let (mut rows, mut size) = (0, BatchSize::new(self.0.db(), BATCH).with_pause(PAUSE));
        loop {
            let input = (id, size.limit());
            let batch = self
                .0
                .db()
                .write_timed(input, move |tx, (id, limit)| Box::pin(tenant_data::delete_some(tx, *id, kept, *limit)));
            let (deleted, took) = batch.await?;
            if deleted == 0 {
                return Ok(rows);
            }
            rows += deleted;
            show(rows);
            size.record(took).await;
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

/// Deletes the leases for the tenant's work, which are rows of the installation.
async fn delete_leases(tx: &mut Tx<'_>, id: TenantId) -> store::Result<()> {
    for job in TenantJob::ALL {
        store::base::leases::remove(tx, &job.prefix(id)).await?;
    }
    Ok(())
}

/// Deletes at most `limit` rows of each table of a deleted tenant, and returns how many.
async fn delete_late(tx: &mut Tx<'_>, id: TenantId, now: Timestamp, limit: i64) -> store::Result<u64> {
    // Until the commit, this row keeps others from creating a tenant with the same id.
    let place = Tenant { id, name: String::new(), plan: String::new(), created_at: now, suspended_at: Some(now) };
    if !store::identity::tenants::insert(tx, &place).await? {
        return Ok(0);
    }
    let deleted = tenant_data::delete_some(tx, id, &[], limit).await? + end_memberships(tx, id, limit).await?;
    delete_leases(tx, id).await?;
    tenant_data::delete_tenant(tx, id).await?;
    Ok(deleted)
}
