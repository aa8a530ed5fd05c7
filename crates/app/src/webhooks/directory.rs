//! The post office of this node: which endpoints there are, which of them it looks after, and the way from lanes to
//! whoever writes down what came of them.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use domain::webhooks::owner;
use domain::{TenantId, WebhookId};
use store::Engine;
use tokio::sync::{Mutex, Notify, mpsc, watch};

use super::exchange::Report;
use super::{Endpoint, LaneKey, Webhooks};

/// A node that says nothing for so long is gone.
const NODE_SECONDS: i64 = 3;
const NODES: &str = "webhooks/";
/// What came back and is not written down yet, at most: then lanes wait.
const UNRECORDED: usize = 8192;
/// Due deliveries that are looked at to find the lanes they belong to.
const MOST_DUE: i64 = 1000;

#[derive(Debug)]
pub(crate) struct PostOffice {
    directory: ArcSwap<Directory>,
    /// Those that live, this one among them.
    nodes: ArcSwap<Vec<String>>,
    /// Counts what lanes must look at: endpoints or nodes have changed.
    version: watch::Sender<u64>,
    wanted: Notify,
    pub(super) reports: mpsc::Sender<Report>,
    pub(super) inbox: Mutex<mpsc::Receiver<Report>>,
}

/// All endpoints that are told something, of all tenants.
#[derive(Debug, Default)]
struct Directory {
    /// Unknown before the first look.
    epoch: Option<i64>,
    endpoints: HashMap<LaneKey, Arc<Endpoint>>,
    of_tenant: HashMap<TenantId, Vec<WebhookId>>,
}

impl Default for PostOffice {
    fn default() -> Self {
        let (reports, inbox) = mpsc::channel(UNRECORDED);
        Self {
            directory: ArcSwap::default(),
            nodes: ArcSwap::default(),
            version: watch::channel(0).0,
            wanted: Notify::new(),
            reports,
            inbox: Mutex::new(inbox),
        }
    }
}

impl PostOffice {
    /// An endpoint was changed through this process: it is looked at now and not at the next round.
    pub fn changed(&self) {
        self.wanted.notify_one();
    }

    pub(super) fn endpoint(&self, key: LaneKey) -> Option<Arc<Endpoint>> {
        self.directory.load().endpoints.get(&key).cloned()
    }

    pub(super) fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

impl Webhooks<'_> {
    /// Comes back when an endpoint was changed through this process.
    pub async fn changed(&self) {
        self.0.post_office().wanted.notified().await;
    }

    /// Reads the endpoints again if one has changed. True if so.
    pub async fn refresh(&self) -> store::Result<bool> {
        let (db, office) = (self.0.db(), self.0.post_office());
        let epoch = Some(store::webhooks::epoch(db).await?);
        if office.directory.load().epoch == epoch {
            return Ok(false);
        }
        let mut directory = Directory { epoch, ..Directory::default() };
        for stored in store::webhooks::enabled(db).await? {
            let key = LaneKey { tenant: stored.tenant, webhook: stored.id };
            match Endpoint::opened(&self.0.keys().stored_secret, stored) {
                Ok(endpoint) => {
                    directory.of_tenant.entry(key.tenant).or_default().push(key.webhook);
                    directory.endpoints.insert(key, Arc::new(endpoint));
                }
                Err(error) => {
                    let (tenant, webhook) = (key.tenant, key.webhook);
                    tracing::warn!(%tenant, %webhook, %error, "not told: its secret cannot be opened");
                }
            }
        }
        office.directory.store(Arc::new(directory));
        office.version.send_modify(|version| *version += 1);
        Ok(true)
    }

    /// Says that this node lives, and hears which others do. True when that has changed.
    pub async fn meet(&self) -> store::Result<bool> {
        let nodes = match self.0.db().engine() {
            // One server at a time has the file.
            Engine::Sqlite => vec![self.0.node_name().to_owned()],
            Engine::Postgres => self.living().await?,
        };
        let office = self.0.post_office();
        let is_news = **office.nodes.load() != nodes;
        if is_news {
            office.nodes.store(Arc::new(nodes));
            office.version.send_modify(|version| *version += 1);
        }
        Ok(is_news)
    }

    async fn living(&self) -> store::Result<Vec<String>> {
        let (app, now) = (self.0, self.0.now());
        let name = format!("{NODES}{}", app.node_name());
        app.db()
            .write((name, app.node_name().to_owned(), now), |tx, (name, node, now)| {
                Box::pin(store::leases::take(tx, name, node, *now, now.plus_seconds(NODE_SECONDS)))
            })
            .await?;
        let nodes = store::leases::names(app.db(), NODES, now).await?;
        let mut nodes: Vec<String> = nodes.iter().map(|name| name.trim_start_matches(NODES).to_owned()).collect();
        nodes.sort_unstable();
        Ok(nodes)
    }

    /// Others need not wait until they miss this node.
    pub async fn leave(&self) -> store::Result<()> {
        let name = format!("{NODES}{}", self.0.node_name());
        let leave = self.0.db().write((name, self.0.node_name().to_owned()), |tx, (name, node)| {
            Box::pin(store::leases::release(tx, name, node))
        });
        leave.await
    }

    /// Does this node look after it?
    pub(super) fn is_ours(&self, webhook: WebhookId) -> bool {
        let nodes = self.0.post_office().nodes.load();
        owner(&nodes, webhook).is_none_or(|node| node == self.0.node_name())
    }

    /// Every lane that this node looks after.
    pub fn ours(&self) -> Vec<LaneKey> {
        let directory = self.0.post_office().directory.load();
        directory.endpoints.keys().filter(|key| self.is_ours(key.webhook)).copied().collect()
    }

    /// Lanes of this node whose log has moved since the last call.
    pub fn moved(&self) -> Vec<LaneKey> {
        let directory = self.0.post_office().directory.load();
        let moved = self.0.heads().take_moved().into_keys();
        let lanes = moved.flat_map(|tenant| {
            let ids = directory.of_tenant.get(&tenant).into_iter().flatten();
            ids.map(move |webhook| LaneKey { tenant, webhook: *webhook })
        });
        lanes.filter(|key| self.is_ours(key.webhook)).collect()
    }

    /// Lanes of this node that have something to be tried again.
    pub async fn due(&self) -> store::Result<Vec<LaneKey>> {
        let due = store::webhooks::deliveries::due_lanes(self.0.db(), self.0.now(), MOST_DUE).await?;
        Ok(self.known_and_ours(due))
    }

    /// Lanes of this node that are behind their log while nobody runs them: whoever was to hear of it did not.
    pub async fn behind(&self) -> store::Result<Vec<LaneKey>> {
        let behind = store::webhooks::lanes::behind(self.0.db(), self.0.now()).await?;
        Ok(self.known_and_ours(behind))
    }

    fn known_and_ours(&self, lanes: Vec<(TenantId, WebhookId)>) -> Vec<LaneKey> {
        let mut keys: Vec<LaneKey> = lanes.into_iter().map(|(tenant, webhook)| LaneKey { tenant, webhook }).collect();
        keys.sort_unstable();
        keys.dedup();
        let directory = self.0.post_office().directory.load();
        keys.retain(|key| directory.endpoints.contains_key(key) && self.is_ours(key.webhook));
        keys
    }
}
