//! What a node keeps in memory about endpoints: all enabled ones, the nodes that are alive, and the channel from the
//! dispatchers to the recorder. `directory.rs` keeps it current.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use domain::{TenantId, WebhookId};
use store::Wakeup;
use tokio::sync::{Mutex, mpsc, watch};

use super::endpoint::Endpoint;
use super::endpoint_key::EndpointKey;
use super::exchange::DispatchReport;
use crate::base::interval::Interval;

/// Most reports that wait for the recorder; when the channel is full, dispatchers wait.
const UNRECORDED: usize = 8192;

#[derive(Debug)]
pub(crate) struct EndpointDirectory {
    pub(super) enabled: ArcSwap<EnabledEndpoints>,
    /// The names of the live nodes, including this one; empty before the first renewal.
    pub(super) nodes: ArcSwap<Vec<String>>,
    /// Rises when endpoints or nodes change, so that dispatchers check whether they may continue.
    pub(super) version: watch::Sender<u64>,
    pub(super) changed: Wakeup,
    pub(super) announce: Interval,
    pub(super) reports: mpsc::Sender<DispatchReport>,
    pub(super) inbox: Mutex<mpsc::Receiver<DispatchReport>>,
}

/// The enabled endpoints of all tenants.
#[derive(Debug, Default)]
pub(super) struct EnabledEndpoints {
    /// None before the first read.
    pub epoch: Option<i64>,
    /// Workers of a distributed database that were away, and whose endpoints are missing.
    pub away: Vec<String>,
    pub by_key: HashMap<EndpointKey, Arc<Endpoint>>,
    pub by_tenant: HashMap<TenantId, Vec<WebhookId>>,
}

impl Default for EndpointDirectory {
    fn default() -> Self {
        let (reports, inbox) = mpsc::channel(UNRECORDED);
        Self {
            enabled: ArcSwap::default(),
            nodes: ArcSwap::default(),
            version: watch::channel(0).0,
            changed: Wakeup::default(),
            announce: Interval::at(i64::MIN),
            reports,
            inbox: Mutex::new(inbox),
        }
    }
}

impl EndpointDirectory {
    /// Makes the worker refresh now instead of at its next poll, after an endpoint was changed through this process.
    pub fn changed(&self) {
        self.changed.wake();
    }

    pub(super) fn endpoint(&self, key: EndpointKey) -> Option<Arc<Endpoint>> {
        self.enabled.load().by_key.get(&key).cloned()
    }

    pub(super) fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}
