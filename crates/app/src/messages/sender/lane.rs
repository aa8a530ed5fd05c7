//! Lanes: the channels of one account of the network, and what this process remembers about their limits.

use std::collections::HashMap;
use std::sync::Arc;

use domain::pacing::Pacer;
use domain::{ChannelId, TenantId};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

use crate::App;

/// Channels that share an account, and so its limit of new people.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lane {
    pub tenant: TenantId,
    pub account_id: String,
    pub channels: Vec<ChannelId>,
}

impl Lane {
    pub(super) fn lease(&self) -> String {
        format!("sender/{}/{}", self.tenant, self.account_id)
    }
}

/// What this process knows of every lane that it has sent for.
#[derive(Debug, Default)]
pub struct Lanes {
    states: Mutex<HashMap<(TenantId, String), Arc<State>>>,
    filled: watch::Sender<u64>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Held while somebody sends.
    pub running: tokio::sync::Mutex<()>,
    pacer: Mutex<Pacer>,
    /// The number of the lease under which the pacer was filled; none before.
    lease: Mutex<Option<i64>>,
}

impl State {
    pub fn pacer(&self) -> MutexGuard<'_, Pacer> {
        self.pacer.lock()
    }

    pub fn is_new(&self) -> bool {
        self.lease.lock().is_none()
    }

    pub fn knows(&self, lease: i64) -> bool {
        *self.lease.lock() == Some(lease)
    }

    pub fn unlearn(&self) {
        *self.lease.lock() = None;
    }

    pub fn learn(&self, lease: i64) {
        *self.lease.lock() = Some(lease);
    }
}

impl Lanes {
    pub(super) fn state(&self, lane: &Lane) -> Arc<State> {
        let mut states = self.states.lock();
        states.entry((lane.tenant, lane.account_id.clone())).or_default().clone()
    }
}

impl App {
    /// Lanes with something that is due.
    pub async fn sending_lanes(&self) -> crate::Result<Vec<Lane>> {
        let mut lanes: Vec<Lane> = Vec::new();
        for one in store::outbox::lanes(self.db(), self.now()).await? {
            match lanes.last_mut() {
                Some(last) if last.tenant == one.tenant && last.account_id == one.account_id => {
                    last.channels.push(one.channel_id);
                }
                _ => {
                    lanes.push(Lane { tenant: one.tenant, account_id: one.account_id, channels: vec![one.channel_id] });
                }
            }
        }
        Ok(lanes)
    }

    /// Changes whenever this process has accepted something to send.
    pub fn outbox_filled(&self) -> watch::Receiver<u64> {
        self.lanes().filled.subscribe()
    }

    pub(crate) fn outbox_is_filled(&self) {
        self.lanes().filled.send_modify(|count| *count = count.wrapping_add(1));
    }
}
