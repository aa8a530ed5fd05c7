//! Deletes events that are older than the installation keeps them, delivered or not: the oldest first, in small
//! transactions.

use domain::{TenantId, Timestamp};

use super::Events;
use crate::Result;
use crate::base::tenant_scan::TenantScan;

/// Most facts in one transaction.
const BATCH: i64 = 500;

#[boxed::futures]
impl Events<'_> {
    pub async fn sweep(&self) -> Result<()> {
        let before = self.0.now().plus_seconds(-self.0.keep_events_seconds());
        let mut scan = TenantScan::new();
        for tenant in store::delivery::events::tenants(self.0.db()).await? {
            if !scan.goes_on_after(tenant, self.sweep_log(tenant, before).await) {
                break;
            }
        }
        scan.outcome()
    }

    async fn sweep_log(&self, tenant: TenantId, before: Timestamp) -> Result<()> {
        loop {
            let input = (tenant, before);
            let drop_some = self.0.db().write(input, |tx, (tenant, before)| {
                Box::pin(store::delivery::events::drop_before(tx, *tenant, *before, BATCH))
            });
            if drop_some.await? < BATCH {
                return Ok(());
            }
        }
    }
}
