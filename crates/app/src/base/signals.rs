//! Signals: news for open consoles that is not in any log, such as that a colleague is writing.
//!
//! A signal reaches the streams that are open on this node and is not stored. A reader that misses one learns the same
//! from its next request.

use std::future::pending;
use std::sync::Arc;

use domain::{AccountId, TenantId};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender, channel};

use super::connections::{Connection, Connections};

/// A reader that is this many signals behind loses the oldest ones.
const MAX_BEHIND: usize = 256;

#[derive(Debug, Clone)]
pub struct Signal {
    tenant: TenantId,
    /// The type of the signal in the stream.
    pub kind: &'static str,
    /// One line of JSON.
    pub data: Arc<str>,
}

#[derive(Debug)]
pub(crate) struct Signals {
    sender: Sender<Signal>,
    connections: Connections,
}

impl Default for Signals {
    fn default() -> Self {
        Self { sender: channel(MAX_BEHIND).0, connections: Connections::default() }
    }
}

impl Signals {
    pub fn send(&self, tenant: TenantId, kind: &'static str, data: &impl serde::Serialize) {
        // Without an open stream there is no receiver, and nothing to do.
        let _ = self.sender.send(Signal { tenant, kind, data: domain::to_json(data).into() });
    }

    /// Whether a stream is open on this node.
    pub fn has_readers(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    /// The operators who follow signals on this node.
    pub const fn connections(&self) -> &Connections {
        &self.connections
    }

    /// `operator` is connected as long as the feed exists.
    pub fn follow(&self, tenant: TenantId, operator: Option<AccountId>) -> SignalFeed {
        let connection = operator.map(|account| self.connections.open(tenant, account));
        SignalFeed { tenant, signals: self.sender.subscribe(), _connection: connection }
    }
}

/// The signals of one tenant from now on.
#[derive(Debug)]
pub struct SignalFeed {
    tenant: TenantId,
    signals: Receiver<Signal>,
    _connection: Option<Connection>,
}

impl SignalFeed {
    /// Waits for the next signal. Loses none if it is cancelled.
    pub async fn next(&mut self) -> Signal {
        loop {
            match self.signals.recv().await {
                Ok(signal) if signal.tenant == self.tenant => return signal,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => pending::<()>().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_feed_has_the_signals_of_its_tenant() {
        let signals = Signals::default();
        let [ours, other] = [100_001, 100_002].map(TenantId::from_number);
        assert!(!signals.has_readers());
        signals.send(ours, "presence", &"before");
        let mut feed = signals.follow(ours, None);
        assert!(signals.has_readers());
        signals.send(other, "presence", &"theirs");
        signals.send(ours, "presence", &"ours");
        let signal = feed.next().await;
        assert_eq!((signal.kind, &*signal.data), ("presence", "\"ours\""));
    }
}
