//! A database that Citus distributes by tenant over workers: whether it is one, and what is away of it.
//!
//! A statement of one tenant goes to the worker with its rows, and fails only if that worker is away. A read across
//! tenants asks all workers, and fails if any of them is away. Background work finds what is due with such reads and
//! would stop for all tenants. So a read that fails is repeated for the tenants whose workers respond (`reachable.rs`),
//! and so are further reads from the start, until all workers respond again. Whether they do is asked at most once in
//! `LOOK_EVERY`, as part of such a read.
//!
//! What is due for the other tenants stays in their tables; the first read after the return of their worker finds it.
//! A read whose result would be wrong without some tenants is not limited, and fails (`CrossRead::Whole`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio_postgres::{Row as PgRow, SimpleQueryMessage};

use crate::{Error, Result, Statement};

/// While a worker is away: time between two looks whether it is back.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long Citus tries to reach a worker, in milliseconds. Its default, 30 s, is longer than a request may take.
pub(super) const REACH_WORKER_MS: &str = "3000";

/// Asks every worker. Does not fail if one is away: its row says so.
pub(super) static WORKERS: Statement = Statement::declared(
    "shards.workers",
    &["asks all workers, also those that are away"],
    "SELECT nodename || ':' || nodeport, success FROM run_command_on_workers('SELECT 1')",
);

/// What a read across tenants means if tenants are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CrossRead {
    /// It finds work: the missing tenants' work is found later.
    Discovery,
    /// It looks one thing up: if nothing is found, the thing may be on a worker that is away.
    LookUp,
    /// The result would be wrong.
    Whole,
}

impl CrossRead {
    pub fn of(statement: &Statement) -> Self {
        if DISCOVERIES.contains(&statement.name()) {
            Self::Discovery
        } else if LOOK_UPS.contains(&statement.name()) {
            Self::LookUp
        } else {
            Self::Whole
        }
    }
}

pub(crate) const DISCOVERIES: [&str; 28] = [
    "alerts.tenants",
    "broadcasts.retries.without_timer",
    "channel_tokens.due",
    "consumers.behind",
    "consumers.behind_on",
    "consumers.on",
    "consumers.parked_count",
    "contacts.erasures.open",
    "events.moved_since",
    "events.tenants",
    "events.waiting",
    "imports.next_queued",
    "imports.next_unindexed",
    "imports.old",
    "inbound.waiting",
    "inbox.presences.changes",
    "inbox.snoozes.without_timer",
    "media.fetches.waiting",
    "orders.lookups.due",
    "orders.lookups.next",
    "outbox.channels_with_due",
    "sandbox.due.list_due",
    "sandbox.due.next",
    "timers.next",
    "webhooks.all_ids",
    "webhooks.deliveries.endpoints_with_due",
    "webhooks.dispatch_state.behind",
    "webhooks.enabled",
];
pub(crate) const LOOK_UPS: [&str; 5] = [
    "channels.by_account_id",
    "channels.by_id",
    "channels.by_number_id",
    "channels.page_of_network",
    "sandbox.records.owners",
];

/// The addresses of the workers that do not respond, in order.
pub(super) fn away_in(rows: &[PgRow]) -> Result<Vec<String>> {
    let column = |_| Error::Column(0);
    let mut away = Vec::new();
    for row in rows {
        let (worker, responds): (String, bool) = (row.try_get(0).map_err(column)?, row.try_get(1).map_err(column)?);
        away.extend((!responds).then_some(worker));
    }
    away.sort_unstable();
    Ok(away)
}

/// What a process knows of the workers.
#[derive(Debug, Default)]
pub(crate) struct Shards {
    is_distributed: AtomicBool,
    state: Mutex<ShardState>,
}

#[derive(Debug, Default)]
struct ShardState {
    away: Vec<String>,
    looked: Option<Instant>,
}

impl Shards {
    /// Takes from the answer to the settings of a new connection whether the database has Citus (`connect.rs`).
    pub fn note_settings(&self, answer: &[SimpleQueryMessage]) {
        let has_citus = answer.iter().any(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0) == Some("auto"),
            _ => false,
        });
        self.is_distributed.store(has_citus, Ordering::Relaxed);
    }

    pub fn is_distributed(&self) -> bool {
        self.is_distributed.load(Ordering::Relaxed)
    }

    /// Addresses of the workers that are away.
    pub fn away(&self) -> Vec<String> {
        self.state.lock().away.clone()
    }

    /// Whether the caller is to look if a worker that was away is back.
    pub(super) fn is_look_due(&self) -> bool {
        let mut state = self.state.lock();
        let is_due = !state.away.is_empty() && state.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY);
        if is_due {
            state.looked = Some(Instant::now());
        }
        is_due
    }

    pub(super) fn note_away(&self, away: Vec<String>) {
        let mut state = self.state.lock();
        state.looked = Some(Instant::now());
        state.away = away;
    }

    /// Whether a statement is to be limited to the reachable tenants, because a worker is away and the missing tenants may
    /// be left out.
    pub(super) fn limits(&self, statement: &Statement) -> bool {
        self.is_distributed() && CrossRead::of(statement) == CrossRead::Discovery && !self.state.lock().away.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limited_statement_exists_and_reads_across_tenants() {
        let all = crate::statements();
        for name in DISCOVERIES.iter().chain(&LOOK_UPS) {
            let found = all.iter().find(|statement| statement.name() == *name);
            let found = found.unwrap_or_else(|| panic!("there is no statement {name}"));
            let text = found.for_postgres();
            assert!(found.tenantless_reason().is_some() && found.returns_rows(), "{name}: {text}");
            assert!(!text.contains("FOR UPDATE") && text.contains("tenant_id"), "{name}: {text}");
        }
    }
}
