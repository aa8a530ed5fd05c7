//! How many rows one transaction of a batch has.
//!
//! On SQLite all writers wait while a transaction runs, so work with many rows is split into transactions of a few
//! milliseconds, with turns of other tenants in between. How many rows that is depends on the rows and on the machine:
//! it is measured. A command takes no turns with the server, which is another process: it pauses after each
//! transaction, so that the server gets the write lock. On PostgreSQL others do not wait, and fewer transactions are
//! faster.

use std::time::Duration;

use crate::Db;

/// Rows of the first transaction on SQLite.
const FIRST: usize = 64;
/// A size changes at most to so many times as many rows, or to such a part of them, from one transaction to the next.
const LARGEST_STEP_UP: usize = 2;
const LARGEST_STEP_DOWN: usize = 8;

#[derive(Debug)]
pub struct BatchSize {
    db: Db,
    rows: usize,
    most: usize,
    pause: Duration,
}

impl BatchSize {
    /// At most `most` rows; on PostgreSQL always so many.
    pub fn new(db: &Db, most: usize) -> Self {
        let most = most.max(1);
        let rows = if db.batch_time().is_some() { most.min(FIRST) } else { most };
        Self { db: db.clone(), rows, most, pause: Duration::ZERO }
    }

    /// Pauses after each transaction on SQLite, for writers in other processes.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Rows of the next transaction, at least one.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The same as the limit of a statement.
    pub fn limit(&self) -> i64 {
        i64::try_from(self.rows).unwrap_or(i64::MAX)
    }

    /// Notes how long a transaction of `rows()` rows has held the writer (`Db::write_timed`), and pauses.
    pub async fn record(&mut self, took: Duration) {
        let Some(time) = self.db.batch_time() else { return };
        self.rows = next(self.rows, took, time).min(self.most);
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
    }
}

/// The rows that take `time`, if `rows` rows took `took`.
fn next(rows: usize, took: Duration, time: Duration) -> usize {
    let fit = (rows as u128).saturating_mul(time.as_nanos()) / took.as_nanos().max(1);
    let (least, most) = ((rows / LARGEST_STEP_DOWN).max(1), rows.saturating_mul(LARGEST_STEP_UP));
    usize::try_from(fit).unwrap_or(usize::MAX).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_follows_the_time_in_steps() {
        let ms = Duration::from_millis;
        for (rows, took, expected) in
            [(64, 8, 64), (64, 16, 32), (64, 1, 128), (64, 1_000, 8), (1, 1_000, 1), (1, 0, 2)]
        {
            assert_eq!(next(rows, ms(took), ms(8)), expected, "{rows} rows in {took} ms");
        }
    }
}
