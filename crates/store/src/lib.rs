//! Storage: all SQL of the server, one module of statements for each area, in one dialect for SQLite and PostgreSQL.
//! Only tests and benchmarks have further statements of their own.

#[macro_use]
pub mod base;

pub mod automation;
pub mod calls;
pub mod commerce;
pub mod delivery;
pub mod identity;
pub mod inbox;
pub mod messaging;
pub mod migrations;
pub mod people;
pub mod platform;
mod statements;

pub use base::columns::{Bind, Columns, Params};
pub use base::db::{Db, Engine, Location};
pub use base::error::{Error, Failure, Result};
pub use base::param::Param;
pub use base::postgres::PostgresOptions;
pub use base::row::{ColumnReader, FromRow, Row, read};
pub use base::statement::{BoundStatement, Statement};
pub use base::traffic::Traffic;
pub use base::turns::{WorkPool, for_tenant, in_same_turns};
pub use base::tx::{Body, Tx};
pub use base::wakeup::Wakeup;
pub use statements::statements;

use domain::Clock;

/// Applies missing migrations, rebuilds the index of contacts if it is out of date, and returns the names of the
/// migrations that the database got.
#[boxed::futures]
pub async fn migrate(db: &Db, clock: &Clock) -> Result<Vec<&'static str>> {
    let applied = migrations::apply(db, clock, migrations::MIGRATIONS).await?;
    people::contacts::rebuild(db, &mut |done| tracing::info!(contacts = done, "the index of the contacts is built"))
        .await?;
    Ok(applied)
}
