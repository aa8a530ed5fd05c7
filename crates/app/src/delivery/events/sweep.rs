//! Deletes events that are older than the installation keeps them, delivered or not: the oldest first, in small
//! transactions. Events that a consumer (`consumers/run.rs`) has not processed stay.

use domain::{TenantId, Timestamp};
use store::delivery::events::OldFacts;
use store::{BatchSize, Tx};

use super::Events;
use crate::Result;
use crate::base::compute::for_tenant;
use crate::base::tenant_scan::TenantScan;

/// Most facts in one transaction.
const BATCH: usize = 500;

#[boxed::futures]
impl Events<'_> {
    pub async fn sweep(&self) -> Result<()> {
        let before = self.0.now().plus_seconds(-self.0.keep_events_seconds());
        let mut scan = TenantScan::new();
        for tenant in store::delivery::events::tenants(self.0.db()).await? {
            if !scan.goes_on_after(tenant, for_tenant(tenant, self.sweep_log(tenant, before)).await) {
                break;
            }
        }
        scan.outcome()
    }

    async fn sweep_log(&self, tenant: TenantId, before: Timestamp) -> Result<()> {
        let mut size = BatchSize::new(self.0.db(), BATCH);
        loop {
            let input = (tenant, before, size.limit());
            let drop_some = self
                .0
                .db()
                .write_timed(input, |tx, (tenant, before, most)| Box::pin(drop_some(tx, *tenant, *before, *most)));
            let (dropped, took) = drop_some.await?;
            if dropped < size.limit() {
                return Ok(());
            }
            size.record(took).await;
        }
    }
}

/// Returns how many of the `most` oldest facts were old.
async fn drop_some(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp, most: i64) -> Result<i64> {
    let through = store::delivery::consumers::least_position(tx, tenant).await?.unwrap_or(0);
    let dropped = store::delivery::events::drop_old(tx, tenant, OldFacts { before, through, most }).await?;
    if dropped > 0 {
        store::delivery::consumers::drop_parked(tx, tenant).await?;
    }
    Ok(dropped)
}
