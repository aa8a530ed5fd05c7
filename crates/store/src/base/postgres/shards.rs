//! A database that Citus distributes by tenant over workers: whether it is one, and what is away of it.
//!
//! A statement of one tenant goes to the worker with its rows, and fails only if that worker is away. A read across
//! tenants asks all workers, and fails if any of them is away. Background work finds what is due with such reads and
//! would stop for all tenants. So a read that fails is repeated for the tenants whose workers respond, and further
//! reads are limited to these tenants from the start, until all workers respond again. Whether they do is asked at most
//! once in `LOOK_EVERY`, as part of such a read.
//!
//! What is due for the other tenants stays in their tables; the first read after the return of their worker finds it.
//! A read whose result would be wrong without some tenants is not limited, and fails (`CrossRead::Whole`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio_postgres::{Row as PgRow, SimpleQueryMessage};

use crate::base::table_list::TABLES;
use crate::{Error, Result, Statement};

/// While a worker is away: time between two looks whether it is back.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long Citus tries to reach a worker, in milliseconds. Its default, 30 s, is longer than a request may take.
pub(super) const REACH_WORKER_MS: &str = "3000";

/// Asks every shard of `tenants` for its tenants. Does not fail if a worker is away: the rows of its shards say so.
pub(super) static PLACEMENTS: Statement = Statement::declared(
    "shards.placements",
    &["asks all workers, also those that are away"],
    "SELECT nodename || ':' || nodeport, success, COALESCE(result, '') FROM run_command_on_placements('tenants',
         'SELECT string_agg(tenant_id::text, '','') FROM %s')",
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

pub(crate) const DISCOVERIES: [&str; 24] = [
    "activity.behind",
    "alerts.tenants",
    "broadcasts.retries.due",
    "channel_tokens.due",
    "contacts.erasures.open",
    "events.moved_since",
    "events.tenants",
    "events.waiting",
    "imports.next_queued",
    "imports.next_unindexed",
    "imports.old",
    "inbound.waiting",
    "inbox.presences.changes",
    "inbox.snoozes.due",
    "media.fetches.waiting",
    "orders.lookups.due",
    "orders.lookups.next",
    "outbox.channels_with_due",
    "sandbox.due.list_due",
    "sandbox.due.next",
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

/// The part of the database that does not respond.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Away {
    /// Addresses, in order.
    workers: Vec<String>,
    /// The tenants on all other workers, separated by commas.
    reachable: String,
}

impl Away {
    /// None if all workers respond.
    pub fn from_rows(rows: &[PgRow]) -> Result<Option<Arc<Self>>> {
        let (mut workers, mut reachable) = (Vec::new(), Vec::new());
        for row in rows {
            let column = |_| Error::Column(0);
            let (worker, responds): (String, bool) = (row.try_get(0).map_err(column)?, row.try_get(1).map_err(column)?);
            let tenants: String = row.try_get(2).map_err(column)?;
            if !responds {
                workers.push(worker);
            } else if !tenants.is_empty() {
                reachable.push(tenants);
            }
        }
        workers.sort_unstable();
        workers.dedup();
        let reachable = if reachable.is_empty() { "NULL".to_owned() } else { reachable.join(",") };
        Ok((!workers.is_empty()).then(|| Arc::new(Self { workers, reachable })))
    }

    pub fn workers(&self) -> &[String] {
        &self.workers
    }

    /// The text of a statement for the reachable tenants alone. In a `WITH` that is not recursive, a name inside of its
    /// own definition is that of the table.
    pub fn limited(&self, text: &str) -> String {
        let words: Vec<&str> = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let is_read =
            |table: &str| words.windows(2).any(|pair| ["FROM", "JOIN"].contains(&pair[0]) && pair[1] == table);
        let limited: Vec<String> = TABLES
            .iter()
            .filter(|table| is_read(table.name))
            .map(|table| {
                let (name, tenants) = (table.name, &self.reachable);
                format!("{name} AS NOT MATERIALIZED (SELECT * FROM {name} WHERE tenant_id IN ({tenants}))")
            })
            .collect();
        let limited = limited.join(", ");
        match text.trim_start().strip_prefix("WITH ") {
            Some(rest) => format!("WITH {limited}, {rest}"),
            None => format!("WITH {limited} {text}"),
        }
    }
}

/// What a process knows of the workers.
#[derive(Debug, Default)]
pub(crate) struct Shards {
    is_distributed: AtomicBool,
    state: Mutex<ShardState>,
}

#[derive(Debug, Default)]
struct ShardState {
    away: Option<Arc<Away>>,
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

    pub(super) fn away(&self) -> Option<Arc<Away>> {
        self.state.lock().away.clone()
    }

    /// Addresses of the workers that are away.
    pub fn away_workers(&self) -> Vec<String> {
        self.away().map_or_else(Vec::new, |away| away.workers.clone())
    }

    /// Whether the caller is to look if a worker that was away is back.
    pub(super) fn is_look_due(&self) -> bool {
        let mut state = self.state.lock();
        let is_due = state.away.is_some() && state.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY);
        if is_due {
            state.looked = Some(Instant::now());
        }
        is_due
    }

    pub(super) fn note_away(&self, away: Option<Arc<Away>>) {
        let mut state = self.state.lock();
        state.looked = Some(Instant::now());
        state.away = away;
    }

    /// The text of a statement while a worker is away, if the statement may be limited to the reachable tenants.
    pub(super) fn limited(&self, statement: &Statement) -> Option<String> {
        let away = self.is_distributed().then(|| self.away())??;
        (CrossRead::of(statement) == CrossRead::Discovery).then(|| away.limited(statement.for_postgres()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_limited_in_each_table_that_it_reads() {
        let away = Away { workers: vec!["w:5432".to_owned()], reachable: "7,9".to_owned() };
        let limited =
            |table: &str| format!("{table} AS NOT MATERIALIZED (SELECT * FROM {table} WHERE tenant_id IN (7,9))");
        assert_eq!(
            away.limited("SELECT c.id FROM channels c WHERE EXISTS (SELECT 1 FROM outbox o)"),
            format!(
                "WITH {}, {} SELECT c.id FROM channels c WHERE EXISTS (SELECT 1 FROM outbox o)",
                limited("channels"),
                limited("outbox")
            )
        );
        assert_eq!(
            away.limited("WITH a AS (SELECT id FROM orders) SELECT id FROM a"),
            format!("WITH {}, a AS (SELECT id FROM orders) SELECT id FROM a", limited("orders"))
        );
    }

    #[test]
    fn every_limited_statement_exists_and_reads_across_tenants() {
        let all = crate::statements();
        for name in DISCOVERIES.iter().chain(&LOOK_UPS) {
            let found = all.iter().find(|statement| statement.name() == *name);
            let found = found.unwrap_or_else(|| panic!("there is no statement {name}"));
            let text = found.for_postgres();
            assert!(found.tenantless_reason().is_some() && found.returns_rows(), "{name}: {text}");
            assert!(!text.contains("FOR UPDATE"), "{name}: {text}");
        }
    }
}
