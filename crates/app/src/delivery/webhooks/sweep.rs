//! The sweep deletes deliveries in any state whose event is older than `keep_deliveries_days`, and all rows of deleted
//! endpoints, in small transactions.

use domain::{Id, TenantId, Timestamp, WebhookId};
use store::BatchSize;

use super::Webhooks;
use crate::Result;
use crate::base::compute::for_tenant;

/// Most deliveries in one transaction.
const BATCH: usize = 500;

#[boxed::futures]
impl Webhooks<'_> {
    pub async fn sweep(&self) -> Result<()> {
        let keep = i64::from(self.0.webhook_policy().keep_deliveries_days) * 86_400;
        let now = self.0.now();
        for (tenant, webhook, is_deleted) in store::delivery::webhooks::all_ids(self.0.db()).await? {
            let before = if is_deleted { now.plus_seconds(1) } else { now.plus_seconds(-keep) };
            for_tenant(tenant, self.sweep_one(tenant, webhook, before)).await?;
            if is_deleted {
                let purge = self.0.db().write((tenant, webhook), |tx, (tenant, webhook)| {
                    Box::pin(store::delivery::webhooks::purge(tx, *tenant, *webhook))
                });
                purge.await?;
            }
        }
        Ok(())
    }

    async fn sweep_one(&self, tenant: TenantId, webhook: WebhookId, before: Timestamp) -> Result<()> {
        let before = Id::first_of_second(before);
        let mut size = BatchSize::new(self.0.db(), BATCH);
        loop {
            let input = (tenant, webhook, before, size.limit());
            let some = self.0.db().write_timed(input, |tx, (tenant, webhook, before, most)| {
                Box::pin(store::delivery::webhooks::deliveries::sweep(tx, *tenant, *webhook, *before, *most))
            });
            let (deleted, took) = some.await?;
            if deleted < size.limit().unsigned_abs() {
                return Ok(());
            }
            size.record(took).await;
        }
    }
}
