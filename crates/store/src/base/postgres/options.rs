//! How a process uses PostgreSQL, besides the address.

use std::time::Duration;

/// Longest wait for a connection.
pub(crate) const WAIT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostgresOptions {
    /// Whether statements are prepared once for each connection, which keeps their plans. A pooler that gives the
    /// connection to another client after each transaction (PgBouncer in transaction mode) needs `false`.
    pub prepared: bool,
    /// The time after which PostgreSQL cancels a statement. Without one, for migrations and commands, statements take as
    /// long as they need.
    pub statement_timeout: Option<Duration>,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self { prepared: true, statement_timeout: None }
    }
}
