//! Deletes events that are older than the installation keeps them, delivered or not: the oldest first, in small
//! transactions.

use domain::{TenantId, Timestamp};
use store::BatchSize;

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
            let drop_some = self.0.db().write_timed(input, |tx, (tenant, before, most)| {
                Box::pin(store::delivery::events::drop_before(tx, *tenant, *before, *most))
            });
            let (dropped, took) = drop_some.await?;
            if dropped < size.limit() {
                return Ok(());
            }
            size.record(took).await;
        }
    }
}
