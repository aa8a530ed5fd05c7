//! Numbering: gives appended facts their numbers in the log of their tenant, without gaps, in batches.
//!
//! One node leads a log at a time, by a lease of `LEASE_SECONDS` in the row `event_logs` that also holds the last
//! number. The lease only avoids useless work: every batch updates that row, so two nodes that number at once run one
//! after the other and no number is given twice.
//!
//! Each batch is one transaction: read the last number, move facts from `events_new` to `events`, store the new last
//! number. After a crash the facts are still in `events_new`, and the next node numbers them. A transaction of this
//! process wakes the worker with its commit (`number_own`); facts of other processes are found by polling (`number`).
//!
//! Read on: `store/src/areas/events.rs` (the statements), `workers/src/lib.rs` (when it runs).

use domain::{TenantId, Timestamp};
use store::Db;

use super::Events;
use crate::Result;

/// Most facts in one transaction.
const BATCH: i64 = 2000;
/// Lease duration: another node may number a log this long after the leader's last batch.
const LEASE_SECONDS: i64 = 3;
/// How many seconds `refresh_log_positions` looks back for logs that have grown, since clocks of nodes differ.
const LOOK_BACK_SECONDS: i64 = 5;

impl Events<'_> {
    /// Numbers the logs to which transactions of this process have appended. After a failure, `number` finds what is
    /// left.
    pub async fn number_own(&self) -> Result<()> {
        for tenant in self.0.db().take_appended() {
            while self.number_log(tenant).await? {}
        }
        Ok(())
    }

    /// Numbers all facts without a number, of all tenants and processes, except in logs that another node leads.
    pub async fn number(&self) -> Result<()> {
        for tenant in store::events::waiting(self.0.db()).await? {
            while self.number_log(tenant).await? {}
        }
        Ok(())
    }

    /// Numbers one batch of one log. Returns false when there was nothing to number, or another node leads the log.
    pub async fn number_log(&self, tenant: TenantId) -> Result<bool> {
        let app = self.0;
        let reached = number(app.db(), tenant, app.node_name().to_owned(), app.now()).await?;
        if let Some(last) = reached {
            app.log_positions().advance(tenant, last);
        }
        Ok(reached.is_some())
    }

    /// Reads which logs were numbered in the last `LOOK_BACK_SECONDS`, by any node, and wakes their readers.
    pub async fn refresh_log_positions(&self) -> Result<()> {
        let since = self.0.now().plus_seconds(-LOOK_BACK_SECONDS);
        for (tenant, last) in store::events::moved_since(self.0.db(), since).await? {
            self.0.log_positions().advance(tenant, last);
        }
        Ok(())
    }
}

async fn number(db: &Db, tenant: TenantId, node: String, now: Timestamp) -> Result<Option<i64>> {
    let numbering = db.write((tenant, node, now), |tx, (tenant, node, now)| {
        Box::pin(async move {
            let until = now.plus_seconds(LEASE_SECONDS);
            let Some(last) = store::events::lead(tx, *tenant, node, *now, until).await? else { return Ok(None) };
            store::events::number(tx, *tenant, last, BATCH, *now).await
        })
    });
    Ok(numbering.await?)
}
