//! Counts of the statements, rows and bytes between a process and its database: for benchmarks, and for the test of an
//! idle node.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Param;

/// Totals since the process opened its database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of statements; on PostgreSQL `BEGIN` and `COMMIT` count too.
    pub statements: u64,
    /// Times that the process waited for an answer of the server. Always 0 on SQLite.
    pub round_trips: u64,
    pub rows_read: u64,
    pub rows_written: u64,
    /// Bytes of bound values.
    pub bytes_sent: u64,
}

impl Traffic {
    /// What was added since `earlier`.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            statements: self.statements - earlier.statements,
            round_trips: self.round_trips - earlier.round_trips,
            rows_read: self.rows_read - earlier.rows_read,
            rows_written: self.rows_written - earlier.rows_written,
            bytes_sent: self.bytes_sent - earlier.bytes_sent,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct TrafficCounters {
    statements: AtomicU64,
    round_trips: AtomicU64,
    rows_read: AtomicU64,
    rows_written: AtomicU64,
    bytes_sent: AtomicU64,
}

impl TrafficCounters {
    pub fn now(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            statements: read(&self.statements),
            round_trips: read(&self.round_trips),
            rows_read: read(&self.rows_read),
            rows_written: read(&self.rows_written),
            bytes_sent: read(&self.bytes_sent),
        }
    }

    pub fn statements(&self, count: usize) {
        add(&self.statements, count);
    }

    pub fn round_trip(&self) {
        add(&self.round_trips, 1);
    }

    pub fn read(&self, rows: usize) {
        add(&self.rows_read, rows);
    }

    pub fn wrote(&self, rows: u64) {
        self.rows_written.fetch_add(rows, Ordering::Relaxed);
    }

    pub fn sent(&self, params: &[Param<'_>]) {
        add(&self.bytes_sent, params.iter().map(Param::size).sum());
    }

    pub fn rows_written(&self) -> u64 {
        self.rows_written.load(Ordering::Relaxed)
    }
}

fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
}
