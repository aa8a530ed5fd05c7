//! This process among the server processes on the database: its names, its address, and the row that says that it is
//! alive.

use std::sync::OnceLock;

use domain::Timestamp;
use store::{Db, Engine};

/// What the names of the leases of nodes begin with.
pub(crate) const NODE_LEASES: &str = "webhooks/";

#[derive(Debug)]
pub(crate) struct Node {
    name: String,
    process: String,
    started_at: Timestamp,
    address: OnceLock<String>,
}

impl Node {
    pub fn new(engine: Engine, now: Timestamp) -> Self {
        let name = match engine {
            // SQLite admits one server at a time. With a fixed name a new process takes over the leases of a killed one
            // at once.
            Engine::Sqlite => "embedded".to_owned(),
            Engine::Postgres => format!("{:016x}", rand::random::<u64>()),
        };
        let process = format!("{name}/{:016x}", rand::random::<u64>());
        Self { name, process, started_at: now, address: OnceLock::new() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn process(&self) -> &str {
        &self.process
    }

    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Later calls are ignored.
    pub fn set_address(&self, address: String) {
        let _ = self.address.set(address);
    }

    /// None for a process that is no server.
    pub fn address(&self) -> Option<&str> {
        self.address.get().map(String::as_str)
    }

    pub fn row(&self, now: Timestamp) -> store::base::nodes::NodeRow {
        store::base::nodes::NodeRow {
            name: self.name.clone(),
            address: self.address().unwrap_or("this process").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: self.started_at.to_millis(),
            seen_at: now.to_millis(),
        }
    }

    /// Writes that this node is alive. SQLite admits one server at a time, which needs no row.
    pub async fn announce(&self, db: &Db, now: Timestamp) -> store::Result<()> {
        if db.engine() == Engine::Sqlite || self.address().is_none() {
            return Ok(());
        }
        store::base::nodes::announce(db, &self.row(now)).await
    }
}
