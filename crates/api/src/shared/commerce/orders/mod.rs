//! What the order operations of V1 and V3 share: the order and its message as clients write them, and the shapes of
//! orders and payments.

pub(crate) mod amount;
pub(crate) mod input;
pub(crate) mod message;
pub(crate) mod payment;
pub(crate) mod shape;

use app::commerce::orders::{CreatedOrder, OrderView, UpdatedOrder};
use domain::messaging::messages::Message;

/// An order that was created or changed, with the message about it. A change of status may need no message.
#[derive(Debug)]
pub(crate) struct OrderWithMessage {
    pub order: OrderView,
    pub message: Option<Message>,
}

impl From<CreatedOrder> for OrderWithMessage {
    fn from(sent: CreatedOrder) -> Self {
        Self { order: sent.order, message: Some(sent.message) }
    }
}

impl From<UpdatedOrder> for OrderWithMessage {
    fn from(sent: UpdatedOrder) -> Self {
        Self { order: sent.order, message: sent.message }
    }
}
