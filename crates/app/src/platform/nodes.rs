//! The server processes on the database, for administrators: address, version, when each was last seen, and the jobs
//! whose leases it holds.

use domain::Timestamp;
use store::Engine;
use store::base::nodes::NodeRow;

use crate::Result;
use crate::base::node::NODE_LEASES;
use crate::platform::Platform;

/// A node that was not seen for this many seconds is gone; it writes its row more often
/// (`delivery/webhooks/directory.rs`).
const SEEN_SECONDS: i64 = 15;
/// Rows of nodes that are gone are kept for a day.
const KEPT_SECONDS: i64 = 86_400;

/// A server process on the same database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeView {
    pub id: String,
    pub address: String,
    pub version: String,
    pub started_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// False for a node that ended without a word.
    pub alive: bool,
    /// The names of the leases that it holds.
    pub jobs: Vec<String>,
}

#[boxed::futures]
impl Platform {
    /// Removes the rows of nodes that have been gone for a day, and their leases.
    pub async fn sweep_nodes(&self) -> Result<()> {
        let before = self.now().plus_seconds(-KEPT_SECONDS);
        let sweep = self.db().write(before, |tx, before| Box::pin(store::base::nodes::sweep(tx, NODE_LEASES, *before)));
        sweep.await?;
        Ok(())
    }

    /// The nodes that are alive, and those that ended without a word within a day, in the order of their starts. On
    /// SQLite there is this process alone, if it is a server.
    pub async fn nodes(&self) -> Result<Vec<NodeView>> {
        let now = self.now();
        let mut rows = match self.db().engine() {
            Engine::Sqlite => Vec::new(),
            Engine::Postgres => store::base::nodes::list(self.db()).await?,
        };
        let own = self.node().row(now);
        if self.node().address().is_some() && rows.iter().all(|node| node.name != own.name) {
            rows.push(own);
        }
        let current = store::base::leases::current(self.db(), "", now).await?;
        let view = |node: NodeRow| {
            let process = format!("{}/", node.name);
            let is_own = |holder: &str| holder == node.name || holder.starts_with(&process);
            let jobs = current.iter().filter(|lease| is_own(&lease.holder)).map(|lease| lease.name.clone());
            NodeView {
                alive: now.seconds_since(node.seen_at) <= SEEN_SECONDS,
                jobs: jobs.filter(|name| !name.starts_with(NODE_LEASES)).collect(),
                id: node.name,
                address: node.address,
                version: node.version,
                started_at: node.started_at,
                last_seen_at: node.seen_at,
            }
        };
        Ok(rows.into_iter().map(view).collect())
    }
}
