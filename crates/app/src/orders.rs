//! Orders: sent to a person to be paid, followed by news of how they go on, read and listed. What is known of their
//! payments is learnt in `payments`.
//!
//! The order's row, the first entry of its ledger, the message that asks for the payment and what waits to leave are one
//! transaction. What the business says of an order is its word when it is accepted: a message with a status that fails
//! later takes nothing back, as nothing that the business decided has changed by it.

mod content;
mod create;
mod file;
mod list;
mod status;
mod way;

pub use create::{OrderSend, OrderSent};
pub use file::put_line;
pub use list::{Filter, Page};
pub use status::{StatusSend, StatusSent};
pub use way::Via;

use domain::messages::MessageState;
use domain::payments::Payment;
use store::orders::{Listed, Order};

use crate::{ActsFor, App, Error, Result, Thing};

#[derive(Debug)]
pub struct Orders<'a>(&'a App);

impl App {
    pub fn orders(&self) -> Orders<'_> {
        Orders(self)
    }
}

pub(crate) const NO_ORDER: Error = Error::NotFound(Thing::Order);

/// An order as it is shown, with what is known of its payment.
#[derive(Debug, Clone)]
pub struct Shown {
    /// `order.doc` has the order itself, its present status among it.
    pub order: Order,
    pub payment: Payment,
    /// Number or BSUID of whom it went to; none once that person was deleted.
    pub target: Option<String>,
    /// Of the message that asks for the payment.
    pub message_state: Option<MessageState>,
}

impl From<Listed> for Shown {
    fn from(listed: Listed) -> Self {
        let Listed { order, phone, bsuid, message_state } = listed;
        Self { payment: order.ledger.state(), order, target: phone.or(bsuid), message_state }
    }
}

impl Orders<'_> {
    pub async fn find(&self, caller: &impl ActsFor, reference: &str) -> Result<Shown> {
        let found = store::orders::show(self.0.db(), caller.tenant(), reference).await?;
        found.map(Shown::from).ok_or(NO_ORDER)
    }
}
