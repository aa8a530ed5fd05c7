//! This node's part in asking the network: when it is woken, and how fast it may ask.

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::pace::Paces;
use crate::App;

#[derive(Debug, Default)]
pub(crate) struct Desk {
    reported: Notify,
    pub(super) paces: Mutex<Paces>,
}

impl App {
    /// A webhook spoke of a payment: perhaps it is to be confirmed. Said when it is written down.
    pub(crate) fn payment_is_reported(&self) {
        self.payments_desk().reported.notify_one();
    }

    /// Returns when a webhook spoke of a payment to this node.
    pub async fn payment_reported(&self) {
        self.payments_desk().reported.notified().await;
    }
}
