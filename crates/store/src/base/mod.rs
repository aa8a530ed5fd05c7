//! What every room builds on: the database handle with its two drivers, transactions, statements, columns, leases,
//! epochs, idempotency keys and new facts.

#[macro_use]
pub(crate) mod statement;

pub(crate) mod batch_size;
pub mod citus;
pub(crate) mod columns;
pub(crate) mod db;
pub mod epochs;
pub(crate) mod error;
pub mod facts;
pub mod idempotency;
pub mod installation;
pub mod leases;
pub mod news;
pub mod nodes;
pub(crate) mod param;
pub mod postgres;
pub(crate) mod row;
pub mod sqlite;
pub(crate) mod table_list;
pub mod tables;
pub mod tenant_data;
pub mod timers;
pub(crate) mod traffic;
pub(crate) mod turns;
pub(crate) mod tx;
pub(crate) mod upkeep;
pub(crate) mod wakeup;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        epochs::statements(),
        facts::statements(),
        idempotency::statements(),
        installation::statements(),
        leases::statements(),
        news::statements(),
        nodes::statements(),
        tables::statements(),
        tenant_data::statements(),
        timers::statements(),
    ]
    .concat()
}
