//! The state that every room stands on: the database, the clock, the keys and this process's place among the nodes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use channels::outgoing::OutgoingBudget;
use domain::base::keys::Keyring;
use domain::base::quotas::Quotas;
use domain::{AccountId, Clock, TenantId, Timestamp};
use store::Db;

use crate::base::error::Result;
use crate::base::keys::Keys;
use crate::base::news::News;
use crate::base::node::Node;
use crate::base::signals::{SignalFeed, Signals};

/// After this many failed probes in a row the database counts as not writable. A single one may be a PostgreSQL that
/// restarts, which must not take all nodes out of service at once.
const FAILED_PROBES: u32 = 2;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Base(Arc<State>);

#[derive(Debug)]
struct State {
    db: Db,
    clock: Clock,
    keys: Keys,
    quotas: Quotas,
    outgoing: OutgoingBudget,
    node: Node,
    news: News,
    signals: Signals,
    public_url: OnceLock<String>,
    /// Probes in a row that failed (`probe_writes`).
    failed_probes: AtomicU32,
    /// Whether the server is about to stop.
    is_draining: AtomicBool,
}

#[boxed::futures]
impl Base {
    pub(crate) fn new(db: Db, clock: Clock, keyring: &Keyring, quotas: Quotas, outgoing: OutgoingBudget) -> Self {
        Self(Arc::new(State {
            keys: Keys::new(keyring),
            node: Node::new(db.engine(), clock.now()),
            news: News::default(),
            signals: Signals::default(),
            public_url: OnceLock::new(),
            failed_probes: AtomicU32::new(0),
            is_draining: AtomicBool::new(false),
            db,
            clock,
            quotas,
            outgoing,
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

    /// The budget for connections to other servers.
    pub fn outgoing(&self) -> &OutgoingBudget {
        &self.0.outgoing
    }

    pub(crate) fn node(&self) -> &Node {
        &self.0.node
    }

    pub(crate) fn news(&self) -> &News {
        &self.0.news
    }

    pub(crate) fn signals(&self) -> &Signals {
        &self.0.signals
    }

    /// The tenant's signals from now on, for an open console of an operator.
    pub fn follow_signals(&self, tenant: TenantId, operator: Option<AccountId>) -> SignalFeed {
        self.0.signals.follow(tenant, operator)
    }

    /// Fails when the database cannot be reached.
    pub async fn check_database(&self) -> Result<()> {
        store::base::epochs::credentials(self.db()).await?;
        Ok(())
    }

    /// From now on the server is not ready, so that load balancers send their requests elsewhere before it stops.
    pub fn start_draining(&self) {
        self.0.is_draining.store(true, Ordering::Relaxed);
    }

    pub fn is_draining(&self) -> bool {
        self.0.is_draining.load(Ordering::Relaxed)
    }

    /// Fails when the database cannot be reached, or could not be written lately.
    pub async fn check_ready(&self) -> Result<()> {
        if !self.is_writable() {
            return Err(store::Error::Unavailable("it cannot be written".to_owned()).into());
        }
        self.check_database().await
    }

    /// Whether the last probes of `probe_writes` worked. Costs nothing, so that every request for `/readyz` can ask.
    pub fn is_writable(&self) -> bool {
        self.0.failed_probes.load(Ordering::Relaxed) < FAILED_PROBES
    }

    /// Writes to the database, and to the disk of an embedded one, and notes whether that worked. A worker calls it.
    pub async fn probe_writes(&self) -> Result<()> {
        // A disk that hangs must not hold a thread of the runtime.
        let db = self.db().clone();
        let room = tokio::task::spawn_blocking(move || db.check_room()).await;
        let written = match room.unwrap_or(Err(store::Error::Panicked)) {
            Ok(()) => self.write_time().await,
            Err(error) => Err(error),
        };
        match &written {
            Ok(()) => self.0.failed_probes.store(0, Ordering::Relaxed),
            Err(store::Error::Unavailable(_)) => {
                self.0.failed_probes.fetch_add(1, Ordering::Relaxed);
            }
            // A busy database can be written.
            Err(_) => {}
        }
        Ok(written?)
    }

    async fn write_time(&self) -> store::Result<()> {
        let write =
            self.db().write(self.now(), |tx, now| Box::pin(store::base::installation::set_written_at(tx, *now)));
        write.await
    }

    /// Sets the address under which clients reach this installation, for addresses in responses and events. The server
    /// calls it once it listens; later calls are ignored.
    pub fn set_public_url(&self, url: &str) {
        let _ = self.0.public_url.set(url.trim_end_matches('/').to_owned());
    }

    /// The public address of the server that started last; none if no server has started yet.
    pub async fn saved_public_url(&self) -> Result<Option<String>> {
        Ok(store::base::installation::public_url(self.db()).await?)
    }

    /// The address that `set_public_url` has set, without a trailing slash; empty before.
    pub(crate) fn public_url(&self) -> &str {
        self.0.public_url.get().map_or("", String::as_str)
    }

    /// The beginning of a file's address; the file's name follows.
    pub fn file_address(&self, tenant: TenantId) -> String {
        format!("{}/{tenant}/api/file/showFile?fileName=", self.public_url())
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
