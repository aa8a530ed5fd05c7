//! Keeps the endpoint directory of a node current (`endpoint_directory.rs`), and says which endpoints this node owns.
//! The same epoch tells the node for which tenants reactions to the log were switched on or off.
//!
//! - Endpoints are cached. The transaction that changes an endpoint also raises an epoch; `refresh` compares the epoch
//!   and, if it has changed, reads all enabled endpoints again. A change through this process wakes the worker at once;
//!   a change through another node is found at the next poll.
//! - Nodes share the endpoints without exchanging messages: each node holds a lease `webhooks/<node>` of
//!   `NODE_SECONDS`, all nodes read the same list of live leases, and `domain::delivery::webhooks::owner` assigns each
//!   endpoint to one of them. While two nodes disagree, the lease of the endpoint itself decides (`dispatcher/mod.rs`).
//! - A node that dies loses its lease after `NODE_SECONDS`; the others then own its endpoints and start their
//!   dispatchers. With SQLite there is one node, which owns all endpoints without a lease.

use std::collections::HashSet;
use std::sync::Arc;

use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::webhooks::owner;
use domain::{TenantId, WebhookId};
use store::Engine;

use super::endpoint_directory::EnabledEndpoints;
use super::{Endpoint, EndpointKey, Webhooks};
use crate::Result;
use crate::base::node::NODE_LEASES;
use crate::delivery::events::Follower;

/// Lease duration of a node: this many seconds after its last renewal the other nodes own its endpoints. They deliver
/// once the lease of the endpoint itself has ended too.
const NODE_SECONDS: i64 = 3;
/// Seconds between two announcements of this node's address.
const ADDRESS_SECONDS: i64 = 5;
/// Most due deliveries, of all tenants, that one search reads to find their endpoints: those that have been due
/// longest.
const MOST_DUE: i64 = 1000;

#[boxed::futures]
impl Webhooks<'_> {
    /// Waits until an endpoint is changed through this process.
    pub async fn changed(&self) {
        self.0.endpoint_directory().changed.woken().await;
    }

    /// Drops cached events if some were erased. If any endpoint has changed, reads the enabled endpoints again, wakes
    /// all dispatchers and returns true. An endpoint whose secrets cannot be opened is left out: nothing is delivered
    /// to it.
    pub async fn refresh(&self) -> Result<bool> {
        let (db, directory) = (self.0.db(), self.0.endpoint_directory());
        // Another node raises this epoch when it has erased a person.
        self.0.recent_events().refresh(store::delivery::events::bodies_epoch(db).await?);
        let epoch = Some(store::delivery::webhooks::epoch(db).await?);
        let known = directory.enabled.load();
        // Endpoints on a worker that was away are missing.
        if known.epoch == epoch && (known.away.is_empty() || known.away == db.away()) {
            return Ok(false);
        }
        let stored = store::delivery::webhooks::enabled(db).await?;
        let mut enabled = EnabledEndpoints { epoch, away: db.away(), ..EnabledEndpoints::default() };
        for stored in stored {
            let key = EndpointKey { tenant: stored.tenant, webhook: stored.id };
            match Endpoint::opened(&self.0.keys().stored_secret, stored) {
                Ok(endpoint) => {
                    enabled.by_tenant.entry(key.tenant).or_default().push(key.webhook);
                    enabled.by_key.insert(key, Arc::new(endpoint));
                }
                Err(error) => {
                    let (tenant, webhook) = (key.tenant, key.webhook);
                    tracing::warn!(%tenant, %webhook, %error, "no deliveries to a webhook: its secret cannot be opened");
                }
            }
        }
        self.refresh_reacting().await?;
        directory.enabled.store(Arc::new(enabled));
        directory.version.send_modify(|version| *version += 1);
        Ok(true)
    }

    /// Reads for which tenants reactions are switched on. The logs of those that are new are read at once.
    async fn refresh_reacting(&self) -> Result<()> {
        let on = store::delivery::consumers::switched_on(self.0.db(), ConsumerGroup::Reactions).await?;
        let on: HashSet<TenantId> = on.into_iter().collect();
        let known = self.0.reacting().swap(Arc::new(on.clone()));
        for tenant in on.difference(&known) {
            self.0.log_positions().note_moved(Follower::Reactions, *tenant);
        }
        Ok(())
    }

    /// Renews the lease of this node and reads the list of live nodes. If the list has changed, wakes the dispatchers of
    /// this node, which then check whether they may continue, and returns true.
    pub async fn renew_node_lease(&self) -> Result<bool> {
        let nodes = match self.0.db().engine() {
            // SQLite admits one server at a time.
            Engine::Sqlite => vec![self.0.node_name().to_owned()],
            Engine::Postgres => self.renew_and_list_nodes().await?,
        };
        let directory = self.0.endpoint_directory();
        let have_changed = **directory.nodes.load() != nodes;
        if have_changed {
            directory.nodes.store(Arc::new(nodes));
            directory.version.send_modify(|version| *version += 1);
        }
        Ok(have_changed)
    }

    async fn renew_and_list_nodes(&self) -> Result<Vec<String>> {
        let (room, now) = (self.0, self.0.now());
        let name = format!("{NODE_LEASES}{}", room.node_name());
        let until = now.plus_seconds(NODE_SECONDS);
        let nodes =
            store::base::leases::acquire_and_list(room.db(), &name, NODE_LEASES, room.node_name(), now, until).await?;
        if self.0.endpoint_directory().announce.is_due(now, ADDRESS_SECONDS) {
            room.announce_node().await?;
        }
        let mut nodes: Vec<String> = nodes.iter().map(|name| name.trim_start_matches(NODE_LEASES).to_owned()).collect();
        nodes.sort_unstable();
        Ok(nodes)
    }

    /// Releases the lease of this node at a clean stop and removes its row: the other nodes take over at their next renewal
    /// instead of waiting for the lease to end.
    pub async fn release_node_lease(&self) -> Result<()> {
        let own = format!("{NODE_LEASES}{}", self.0.node_name());
        let release = self.0.db().write((own, self.0.node_name().to_owned()), |tx, (own, node)| {
            Box::pin(async move {
                store::base::leases::release(tx, own, node).await?;
                store::base::nodes::remove(tx, node).await
            })
        });
        Ok(release.await?)
    }

    /// Whether this is the only node on the PostgreSQL database: then all work comes from this process, except what a
    /// command or a dead node has left.
    pub fn is_alone(&self) -> bool {
        self.0.db().engine() == Engine::Postgres && self.0.endpoint_directory().nodes.load().len() == 1
    }

    /// Whether this node owns the endpoint. Before the nodes are known, every node counts as owner.
    pub(super) fn is_owner(&self, webhook: WebhookId) -> bool {
        self.is_owner_of(webhook.bytes())
    }

    /// Whether this node processes the tenant's log for the consumers.
    pub(crate) fn is_owner_of_log(&self, tenant: TenantId) -> bool {
        self.is_owner_of(&tenant.number().to_be_bytes())
    }

    fn is_owner_of(&self, key: &[u8]) -> bool {
        let nodes = self.0.endpoint_directory().nodes.load();
        owner(&nodes, key).is_none_or(|node| node == self.0.node_name())
    }

    /// All endpoints that this node owns.
    pub fn owned(&self) -> Vec<EndpointKey> {
        let enabled = self.0.endpoint_directory().enabled.load();
        enabled.by_key.keys().filter(|key| self.is_owner(key.webhook)).copied().collect()
    }

    /// Endpoints of this node whose tenant's log has grown since the last call.
    pub fn with_new_events(&self) -> Vec<EndpointKey> {
        let enabled = self.0.endpoint_directory().enabled.load();
        let moved = self.0.log_positions().take_moved(Follower::Webhooks);
        let keys = moved.into_iter().flat_map(|tenant| {
            let ids = enabled.by_tenant.get(&tenant).into_iter().flatten();
            ids.map(move |webhook| EndpointKey { tenant, webhook: *webhook })
        });
        keys.filter(|key| self.is_owner(key.webhook)).collect()
    }

    /// Endpoints of this node with a retry that is due, among the `MOST_DUE` deliveries that have been due longest.
    pub async fn with_due_retries(&self) -> Result<Vec<EndpointKey>> {
        let due =
            store::delivery::webhooks::deliveries::endpoints_with_due(self.0.db(), self.0.now(), MOST_DUE).await?;
        Ok(self.enabled_and_owned(due))
    }

    /// Endpoints of this node that are behind their log while no dispatcher holds their lease: finds what a lost
    /// wake-up left.
    pub async fn behind(&self) -> Result<Vec<EndpointKey>> {
        let behind = store::delivery::webhooks::dispatch_state::behind(self.0.db(), self.0.now()).await?;
        Ok(self.enabled_and_owned(behind))
    }

    fn enabled_and_owned(&self, found: Vec<(TenantId, WebhookId)>) -> Vec<EndpointKey> {
        let mut keys: Vec<EndpointKey> =
            found.into_iter().map(|(tenant, webhook)| EndpointKey { tenant, webhook }).collect();
        keys.sort_unstable();
        keys.dedup();
        let enabled = self.0.endpoint_directory().enabled.load();
        keys.retain(|key| enabled.by_key.contains_key(key) && self.is_owner(key.webhook));
        keys
    }
}
