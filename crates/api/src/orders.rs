//! What the order operations of V1 and V3 share: the order and its message as clients write them, and the shapes of
//! orders and payments.

pub(crate) mod amount;
pub(crate) mod input;
pub(crate) mod message;
pub(crate) mod payment;
pub(crate) mod shape;
mod wire_names;

use app::orders::{OrderSent, Shown, StatusSent};
use domain::messages::Message;
pub(crate) use wire_names::with_wire_names;

/// An order that was sent or whose status changed, with the message that says so, if one was needed.
#[derive(Debug)]
pub(crate) struct OrderWithMessage {
    pub order: Shown,
    pub message: Option<Message>,
}

impl From<OrderSent> for OrderWithMessage {
    fn from(sent: OrderSent) -> Self {
        Self { order: sent.order, message: Some(sent.message) }
    }
}

impl From<StatusSent> for OrderWithMessage {
    fn from(sent: StatusSent) -> Self {
        Self { order: sent.order, message: sent.message }
    }
}
