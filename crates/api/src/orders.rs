//! What the order operations of V1 and V3 share: an order as callers write it, the message that it goes with, and what is
//! shown of orders and payments.

pub(crate) mod amount;
pub(crate) mod input;
pub(crate) mod message;
pub(crate) mod payment;
pub(crate) mod shape;
mod wire_names;

use app::orders::{OrderSent, Shown, StatusSent};
use domain::messages::Message;
pub(crate) use wire_names::with_wire_names;

/// An order that was sent or moved on, and the message that told it, if there was anything to tell.
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
