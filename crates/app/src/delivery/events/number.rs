//! Numbering: gives appended facts their numbers in the log of their tenant, without gaps, in batches.
//!
//! One node leads a log at a time, by a lease of `LEASE_SECONDS` in the row `event_logs` that also holds the last
//! number. The lease only avoids useless work: every batch updates that row, so two nodes that number at once run one
//! after the other and no number is given twice.
//!
//! Each batch is one transaction, on PostgreSQL in one round trip: read the last number, move facts from `events_new` to
//! `events`, store the new last number. After a crash the facts are still in `events_new`, and the next node numbers
//! them. A transaction of this process wakes the worker with its commit (`number_own`); facts of other processes are
//! found by polling (`number`). On a distributed database, nodes tell each other when to look (`base/news.rs`).
//!
//! Read on: `store/src/delivery/events.rs` (the statements), `workers/src/lib.rs` (when it runs).

use domain::TenantId;
use futures_util::{StreamExt as _, stream};
use store::Engine;
use store::delivery::events::{Leader, NumberingOutcome};

use super::Events;
use crate::Result;
use crate::base::news::NewsKind;
use crate::base::tenant_scan::TenantScan;

/// Most facts in one transaction. Fewer on SQLite, where other writers wait for it.
const BATCH: i64 = 2000;
const BATCH_ON_SQLITE: i64 = 500;
/// Most logs that are numbered at the same time.
const LOGS_AT_ONCE: usize = 4;
/// Lease duration: another node may number a log this long after the leader's last batch.
const LEASE_SECONDS: i64 = 3;
/// How many seconds the wake-ups of this process leave a log alone that another node leads: each try would make the
/// leader wait for the row.
const LEFT_ALONE_SECONDS: i64 = 1;
/// How many seconds before its last look `refresh_log_positions` looks for logs that have grown, since clocks of nodes
/// differ.
const LOOK_BACK_SECONDS: i64 = 5;

#[boxed::futures]
impl Events<'_> {
    /// Numbers the logs to which transactions of this process have appended, except those that another node led a moment
    /// ago. After a failure, `number` finds what is left.
    pub async fn number_own(&self) -> Result<()> {
        let mut appended = self.0.db().take_appended();
        let (now, count) = (self.0.now(), appended.len());
        appended.retain(|tenant| !self.0.log_positions().is_left_alone(*tenant, now));
        let are_left = appended.len() < count;
        let outcome = self.number_logs(appended).await;
        if are_left || outcome.is_err() {
            self.0.news().note(NewsKind::Appended);
        }
        outcome
    }

    /// Numbers all facts without a number, of all tenants and processes, except in logs that another node leads.
    pub async fn number(&self) -> Result<()> {
        self.number_logs(store::delivery::events::waiting(self.0.db()).await?).await
    }

    async fn number_logs(&self, tenants: impl IntoIterator<Item = TenantId> + Send) -> Result<()> {
        let mut scan = TenantScan::new();
        let tenants: Vec<TenantId> = tenants.into_iter().collect();
        let mut numbered = stream::iter(tenants)
            .map(|tenant| async move { (tenant, self.number_whole_log(tenant).await) })
            .buffer_unordered(LOGS_AT_ONCE);
        while let Some((tenant, outcome)) = numbered.next().await {
            if !scan.goes_on_after(tenant, outcome) {
                break;
            }
        }
        scan.outcome()
    }

    async fn number_whole_log(&self, tenant: TenantId) -> Result<()> {
        while self.number_log(tenant).await? {}
        Ok(())
    }

    /// Numbers one batch of one log. Returns whether there may be more to number.
    pub async fn number_log(&self, tenant: TenantId) -> Result<bool> {
        let (room, now) = (self.0, self.0.now());
        let leader = Leader { node: room.node_name(), now, until: now.plus_seconds(LEASE_SECONDS) };
        let batch = if room.db().engine() == Engine::Sqlite { BATCH_ON_SQLITE } else { BATCH };
        match store::delivery::events::number(room.db(), tenant, &leader, batch).await? {
            NumberingOutcome::LedElsewhere => {
                room.log_positions().leave_alone(tenant, now.plus_seconds(LEFT_ALONE_SECONDS));
                room.news().note(NewsKind::Appended);
                Ok(false)
            }
            NumberingOutcome::Empty => Ok(false),
            NumberingOutcome::Numbered { before, last } => {
                room.log_positions().advance(tenant, last);
                room.news().note(NewsKind::Numbered);
                // A fact has one number or more: with fewer numbers than this, the batch was not a full one.
                Ok(last - before >= batch)
            }
        }
    }

    /// Reads which logs were numbered since the last look, by any node, and wakes their readers.
    pub async fn refresh_log_positions(&self) -> Result<()> {
        let (now, positions) = (self.0.now(), self.0.log_positions());
        let since = positions.looked().map_or(now, |looked| looked.min(now)).plus_seconds(-LOOK_BACK_SECONDS);
        for (tenant, last) in store::delivery::events::moved_since(self.0.db(), since).await? {
            positions.advance(tenant, last);
        }
        positions.note_look(now);
        Ok(())
    }
}
