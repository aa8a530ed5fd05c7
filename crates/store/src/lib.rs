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

pub use base::batch_size::BatchSize;
pub use base::columns::{Bind, Columns, Params};
pub use base::db::{Db, Engine, Location};
pub use base::error::{Error, Failure, Result};
pub use base::param::Param;
pub use base::postgres::PostgresOptions;
pub use base::row::{ColumnReader, FromRow, Row, read};
pub use base::statement::{BoundStatement, Statement};
pub use base::traffic::Traffic;
pub use base::turns::{WorkPool, for_tenant, in_background, in_same_turns, is_computing};
pub use base::tx::{Body, Tx};
pub use base::upkeep::FileCheck;
pub use base::wakeup::Wakeup;
pub use statements::{limited_reads, statements};

use domain::Clock;

/// Applies missing migrations, makes the accounts of an earlier version those of the installation, rebuilds the index
/// of contacts if it is out of date, and returns the names of the migrations that the database got.
#[boxed::futures]
pub async fn migrate(db: &Db, clock: &Clock) -> Result<Vec<&'static str>> {
    let applied = migrations::apply(db, clock, migrations::MIGRATIONS).await?;
    let accounts = identity::memberships::adopt(db).await?;
    if accounts > 0 {
        tracing::info!(accounts, "the accounts of the earlier version are accounts of the installation now");
    }
    people::contacts::rebuild(db, &mut |done| tracing::info!(contacts = done, "the index of the contacts is built"))
        .await?;
    Ok(applied)
}
