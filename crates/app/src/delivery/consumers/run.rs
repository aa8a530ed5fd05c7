//! Runs the consumers: passes the facts of each log, in their order, to the handlers of a group.
//!
//! A batch is one transaction: it locks the group's position in the log, reads the facts after it, lets every handler
//! write its effects, and advances the position. So each fact has each effect once, whatever crashes, and of two nodes
//! that process one log the second continues where the first ended. The row lock is all that this needs: a log has an
//! owner among the nodes (`webhooks/directory.rs`) only so that nodes do not wait for each other.
//!
//! If a batch fails because of a fact, its facts are processed one by one. A fact that a handler cannot process is
//! parked for that handler (`parked.rs`); the other handlers process it, and the group goes on. If the database is not
//! available, nothing is parked and the next round tries again.
//!
//! Read on: `store/src/delivery/consumers.rs`, `workers/src/lib.rs` (when it runs).

use std::panic::AssertUnwindSafe;

use domain::delivery::consumers::ConsumerGroup;
use domain::{TenantId, Timestamp};
use futures_util::FutureExt as _;
use store::delivery::consumers::ParkedFact;
use store::{Failure, Tx};

use super::{Consumers, FactBatch, FactHandlers};
use crate::base::tenant_scan::TenantScan;
use crate::delivery::events::Follower;
use crate::{Error, Result};

/// Most facts in one transaction. Fewer of reactions, where one fact may cause many statements.
const BATCH: i64 = 200;
const BATCH_OF_REACTIONS: i64 = 50;
/// Batches of one log before the next log has its turn. Fewer of reactions, which must not wait for a busy neighbour.
const MAX_BATCHES: usize = 50;
const MAX_BATCHES_OF_REACTIONS: usize = 4;
/// Most characters of the reason why a fact is parked.
const MAX_REASON: usize = 500;

/// One batch of a log for the handlers of a group.
#[derive(Debug, Clone)]
struct Batch {
    tenant: TenantId,
    group: ConsumerGroup,
    handlers: FactHandlers,
    /// Most facts.
    limit: i64,
    /// The handlers that cannot process the only fact, with the reasons.
    parked: Vec<(&'static str, String)>,
    now: Timestamp,
}

/// Why a batch failed. `handler` is the handler that failed, if one did.
#[derive(Debug)]
struct BatchError {
    handler: Option<&'static str>,
    error: Error,
}

impl<E: Into<Error>> From<E> for BatchError {
    fn from(error: E) -> Self {
        Self { handler: None, error: error.into() }
    }
}

impl Failure for BatchError {
    fn store_error(&self) -> Option<&store::Error> {
        self.error.store_error()
    }
}

impl BatchError {
    /// The handler that cannot process the batch. None if it may succeed later.
    fn culprit(&self) -> Option<&'static str> {
        use store::Error::{Overloaded, TryAgain, Unavailable};
        match self.error {
            Error::Store(Unavailable(_) | TryAgain(_) | Overloaded) => None,
            _ => self.handler,
        }
    }
}

#[boxed::futures]
impl Consumers<'_> {
    /// Returns when a log has grown since the last `process_moved`.
    pub async fn moved(&self, group: ConsumerGroup) {
        self.0.log_positions().moved(follower(group)).await;
    }

    /// Processes the logs of this node that have grown since the last call, as far as this process knows.
    pub async fn process_moved(&self, group: ConsumerGroup) -> Result<()> {
        let mut moved = self.0.log_positions().take_moved(follower(group));
        moved.retain(|tenant| self.is_on(group, *tenant) && self.0.webhooks().is_owner_of_log(*tenant));
        self.process_logs(group, moved).await
    }

    /// Processes all logs that the group is behind: finds what a lost wake-up, a failure or a dead node has left.
    pub async fn process_behind(&self, group: ConsumerGroup) -> Result<()> {
        let behind = store::delivery::consumers::behind(self.0.db(), group).await?;
        let lag: i64 = behind.iter().map(|(_, events)| *events).sum();
        let parked = store::delivery::consumers::parked_count(self.0.db(), group).await?;
        metrics::gauge!("switchboard_consumer_lag_events", "consumer" => group.name()).set(number(lag));
        metrics::gauge!("switchboard_consumer_parked_events", "consumer" => group.name()).set(number(parked));
        self.process_logs(group, behind.into_iter().map(|(tenant, _)| tenant)).await
    }

    /// Whether the group processes the tenant's log, as far as this node knows.
    fn is_on(&self, group: ConsumerGroup, tenant: TenantId) -> bool {
        match group {
            ConsumerGroup::Projections => true,
            ConsumerGroup::Reactions => self.0.reacting().load().contains(&tenant),
        }
    }

    async fn process_logs(
        &self,
        group: ConsumerGroup,
        tenants: impl IntoIterator<Item = TenantId> + Send,
    ) -> Result<()> {
        let mut scan = TenantScan::new();
        let tenants: Vec<TenantId> = tenants.into_iter().collect();
        for tenant in tenants {
            let outcome = self.process_log(group, tenant).await;
            if outcome.is_err() {
                self.0.log_positions().note_moved(follower(group), tenant);
            }
            if !scan.goes_on_after(tenant, outcome) {
                break;
            }
        }
        scan.outcome()
    }

    async fn process_log(&self, group: ConsumerGroup, tenant: TenantId) -> Result<()> {
        for _ in 0..most_batches(group) {
            let batch = self.batch(group, tenant, most_facts(group));
            let processed = match self.process(batch).await {
                Err(failed) if failed.culprit().is_some() => self.process_singly(group, tenant).await?,
                outcome => outcome.map_err(|failed| failed.error)?,
            };
            if processed < most_facts(group) {
                return Ok(());
            }
        }
        // The next round goes on with what is left.
        self.0.log_positions().note_moved(follower(group), tenant);
        Ok(())
    }

    fn batch(&self, group: ConsumerGroup, tenant: TenantId, limit: i64) -> Batch {
        let handlers = self.0.handlers().of(group);
        Batch { tenant, group, handlers, limit, parked: Vec::new(), now: self.0.now().to_millis() }
    }

    /// Processes one batch. Returns the number of its facts.
    async fn process(&self, batch: Batch) -> Result<i64, BatchError> {
        self.0.db().write(batch, |tx, batch| Box::pin(process(tx, batch))).await
    }

    /// Processes as many facts as a batch has, each in a transaction of its own, and parks those that a handler cannot
    /// process.
    async fn process_singly(&self, group: ConsumerGroup, tenant: TenantId) -> Result<i64> {
        for done in 0..most_facts(group) {
            let mut batch = self.batch(group, tenant, 1);
            let processed = loop {
                match self.process(batch.clone()).await {
                    Ok(processed) => break processed,
                    Err(failed) => match failed.culprit() {
                        Some(handler) => batch.parked.push((handler, failed.error.to_string())),
                        None => return Err(failed.error),
                    },
                }
            };
            if processed == 0 {
                return Ok(done);
            }
        }
        Ok(most_facts(group))
    }
}

/// A count as the value of a gauge.
fn number(count: i64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

const fn follower(group: ConsumerGroup) -> Follower {
    match group {
        ConsumerGroup::Projections => Follower::Projections,
        ConsumerGroup::Reactions => Follower::Reactions,
    }
}

const fn most_batches(group: ConsumerGroup) -> usize {
    match group {
        ConsumerGroup::Projections => MAX_BATCHES,
        ConsumerGroup::Reactions => MAX_BATCHES_OF_REACTIONS,
    }
}

const fn most_facts(group: ConsumerGroup) -> i64 {
    match group {
        ConsumerGroup::Projections => BATCH,
        ConsumerGroup::Reactions => BATCH_OF_REACTIONS,
    }
}

async fn process(tx: &mut Tx<'_>, batch: &Batch) -> Result<i64, BatchError> {
    let facts = store::delivery::consumers::unprocessed(tx, batch.tenant, batch.group, batch.limit).await?;
    let Some(last) = facts.last().map(|fact| fact.last) else { return Ok(0) };
    let given = FactBatch { tenant: batch.tenant, facts: &facts, now: batch.now };
    for handler in batch.handlers {
        let name = handler.name();
        match batch.parked.iter().find(|(parked, _)| *parked == name) {
            Some((_, reason)) => park(tx, batch, last, name, reason).await?,
            None => handle(tx, *handler, given).await.map_err(|error| BatchError { handler: Some(name), error })?,
        }
    }
    store::delivery::consumers::advance(tx, batch.tenant, batch.group, last).await?;
    Ok(i64::try_from(facts.len()).unwrap_or(BATCH))
}

/// A panic of a handler is a failure of this handler.
pub(super) async fn handle(tx: &mut Tx<'_>, handler: &dyn super::FactHandler, batch: FactBatch<'_>) -> Result<()> {
    let outcome = AssertUnwindSafe(async { handler.handle(tx, batch).await }).catch_unwind().await;
    outcome.unwrap_or(Err(Error::Store(store::Error::Panicked)))
}

async fn park(tx: &mut Tx<'_>, batch: &Batch, number: i64, handler: &str, reason: &str) -> Result<()> {
    let (tenant, group) = (batch.tenant, batch.group.name());
    tracing::error!(%tenant, group, handler, number, reason, "an event cannot be processed; it is parked");
    let parked = ParkedFact {
        consumer: group.to_owned(),
        number,
        handler: handler.to_owned(),
        reason: reason.chars().filter(|c| *c != '\0').take(MAX_REASON).collect(),
        parked_at: batch.now,
    };
    Ok(store::delivery::consumers::park(tx, batch.tenant, &parked).await?)
}
