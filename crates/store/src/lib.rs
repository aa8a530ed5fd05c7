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
pub use columns::{Bind, ColumnReader, Columns, FromRow, Params, read};
pub use db::{BoundStatement, Db, Engine, Location};
pub use error::{Error, Failure};
pub use postgres::PostgresOptions;
pub use statement::Statement;
pub use traffic::Traffic;
pub use turns::{WorkPool, for_tenant, in_same_turns};
pub use tx::{Body, Tx};
pub use value::{Param, Row};
pub use wakeup::Wakeup;

pub type Result<T, E = Error> = std::result::Result<T, E>;
