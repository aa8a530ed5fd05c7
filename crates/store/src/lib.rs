//! Storage: all SQL of the server, one module of statements for each area, in one dialect for SQLite and PostgreSQL.
//! Only tests and benchmarks have further statements of their own.

#[macro_use]
mod statement;

pub mod areas;
pub mod backup;
mod columns;
mod db;
mod error;
pub mod migrations;
mod param;
mod postgres;
mod sqlite;
pub mod tables;
pub mod tenant_data;
mod traffic;
mod turns;
mod tx;
mod value;
mod wakeup;

pub use areas::*;
pub use columns::{Bind, Columns, Params};
pub use db::{Db, Engine, Location};
pub use error::{Error, Failure, Result};
pub use param::Param;
pub use postgres::PostgresOptions;
pub use statement::{BoundStatement, Statement};
pub use traffic::Traffic;
pub use turns::{WorkPool, for_tenant, in_same_turns};
pub use tx::{Body, Tx};
pub use value::{ColumnReader, FromRow, Row, read};
pub use wakeup::Wakeup;

use domain::Clock;

/// Applies missing migrations, rebuilds the index of contacts if it is out of date, and returns the names of the
/// migrations that the database got.
#[boxed::futures]
pub async fn migrate(db: &Db, clock: &Clock) -> Result<Vec<&'static str>> {
    let applied = migrations::apply(db, clock, migrations::MIGRATIONS).await?;
    contacts::rebuild(db, &mut |done| tracing::info!(contacts = done, "the index of the contacts is built")).await?;
    Ok(applied)
}
