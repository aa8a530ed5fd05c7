//! PostgreSQL.

pub(crate) mod arrays;
pub(crate) mod client;
pub(crate) mod connect;
pub(crate) mod driver;
pub(crate) mod options;
pub(crate) mod reachable;
pub(crate) mod refusal;
pub(crate) mod rows;
pub(crate) mod shards;
pub(crate) mod statistics;
pub(crate) mod transaction;

pub(crate) use client::PooledClient;
pub use options::PostgresOptions;
pub(crate) use rows::{row, visit_all};
pub(crate) use transaction::PgTransaction;
