//! The state that every room stands on: the database, the clock, the keys and this process's place among the nodes.

use std::sync::{Arc, OnceLock};

use domain::base::keys::Keyring;
use domain::base::quotas::Quotas;
use domain::{Clock, TenantId, Timestamp};
use store::{Db, WorkPool};

use crate::base::error::Result;
use crate::base::keys::Keys;
use crate::base::node::Node;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Base(Arc<State>);

#[derive(Debug)]
struct State {
    db: Db,
    clock: Clock,
    keys: Keys,
    quotas: Quotas,
    computing: WorkPool,
    node: Node,
    public_url: OnceLock<String>,
}

#[boxed::futures]
impl Base {
    pub(crate) fn new(db: Db, clock: Clock, keyring: &Keyring, quotas: Quotas) -> Self {
        Self(Arc::new(State {
            keys: Keys::new(keyring),
            computing: WorkPool::for_computing("compute"),
            node: Node::new(db.engine(), clock.now()),
            public_url: OnceLock::new(),
            db,
            clock,
            quotas,
        }))
    }

    pub fn db(&self) -> &Db {
        &self.0.db
    }

    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn quotas(&self) -> Quotas {
        self.0.quotas
    }

    pub(crate) fn rows_per_link(&self) -> i64 {
        i64::try_from(self.0.quotas.rows_per_link).unwrap_or(i64::MAX)
    }

    pub(crate) fn computing(&self) -> &WorkPool {
        &self.0.computing
    }

    pub(crate) fn node(&self) -> &Node {
        &self.0.node
    }

    /// Fails when the database cannot be reached.
    pub async fn check_database(&self) -> Result<()> {
        store::base::epochs::credentials(self.db()).await?;
        Ok(())
    }

    /// Sets the address under which clients reach this installation, for addresses in responses and events. The server
    /// calls it once it listens; later calls are ignored.
    pub fn set_public_url(&self, url: &str) {
        let _ = self.0.public_url.set(url.trim_end_matches('/').to_owned());
    }

    /// Stores the public address of this server, so that commands on the same database can read it.
    pub async fn save_public_url(&self, url: &str) -> Result<()> {
        if store::base::installation::public_url(self.db()).await?.as_deref() == Some(url) {
            return Ok(());
        }
        let write =
            self.db().write(url.to_owned(), |tx, url| Box::pin(store::base::installation::set_public_url(tx, url)));
        Ok(write.await?)
    }

    /// The public address of the server that started last; none if no server has started yet.
    pub async fn saved_public_url(&self) -> Result<Option<String>> {
        Ok(store::base::installation::public_url(self.db()).await?)
    }

    /// The beginning of a file's address; the file's name follows.
    pub fn file_address(&self, tenant: TenantId) -> String {
        let url = self.0.public_url.get().map_or("", String::as_str);
        format!("{url}/{tenant}/api/file/showFile?fileName=")
    }

    /// The name of this node in leases.
    pub fn node_name(&self) -> &str {
        self.0.node.name()
    }

    /// The name of this process, different at each start: distinguishes claims of a running process from those of one
    /// that is gone.
    pub fn process_name(&self) -> &str {
        self.0.node.process()
    }

    /// Sets the address under which other nodes and administrators see this node. Later calls are ignored.
    pub fn set_address(&self, address: String) {
        self.0.node.set_address(address);
    }

    /// Writes that this node is alive.
    pub(crate) async fn announce_node(&self) -> Result<()> {
        Ok(self.0.node.announce(self.db(), self.now()).await?)
    }
}
