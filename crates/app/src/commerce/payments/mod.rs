//! Payments of orders. The business, the network's webhooks and our look-ups state facts; one transaction joins a fact
//! into the order's ledger, writes the order and appends the events of what changed.
//!
//! A ledger is a set: the order and the repetition of facts make no difference, so a transaction may run again and a
//! late report does no harm. The rules about amounts and states are in `domain::commerce::payments`.

mod apply_report;
mod due_lookups;
mod inbound;
mod lookup;
mod parse;
mod rate_limiter;
mod save;

pub(crate) use inbound::InboundPayments;
pub(crate) use rate_limiter::LookupRateLimiter;
pub(crate) use save::save_and_emit;

use domain::commerce::payments::Payment;

use crate::commerce::Commerce;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Payments<'a>(&'a Commerce);

#[boxed::futures]
impl Commerce {
    pub fn payments(&self) -> Payments<'_> {
        Payments(self)
    }

    /// Waits until this process has applied a webhook about a payment.
    pub async fn payment_reported(&self) {
        self.messaging().payment_wakeup().woken().await;
    }
}

/// A payment by the reference of its order.
#[derive(Debug, Clone)]
pub struct PaymentView {
    pub reference_id: String,
    pub payment: Payment,
}

#[boxed::futures]
impl Payments<'_> {
    pub async fn find(&self, caller: &dyn ActsFor, reference: &str) -> Result<PaymentView> {
        let found = store::commerce::orders::show(self.0.db(), caller.tenant(), reference).await?;
        let order = found.ok_or(Error::NotFound(Thing::Payment))?.order;
        Ok(PaymentView { reference_id: order.reference_id().to_owned(), payment: order.ledger.state() })
    }
}
