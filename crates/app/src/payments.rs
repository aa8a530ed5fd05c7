//! Payments of orders: what business, webhooks and look-ups say becomes one state, written and told in one transaction.
//!
//! All three come through `learn`: the fact is joined into the order's ledger, and what is different then is told. A
//! ledger knows no order and no repeats, so it does not matter who speaks first, who speaks twice, or which transaction
//! is run again. Nothing here adds up money: what an amount means is for the domain to say.

mod ask;
mod desk;
mod learn;
mod lookups;
mod pace;
mod read;
mod reported;

pub(crate) use desk::Desk;
pub(crate) use learn::{learn, next_lookup, wrote};
pub(crate) use reported::{Told, reported};

use domain::payments::Payment;

use crate::{ActsFor, App, Error, Result, Thing};

#[derive(Debug)]
pub struct Payments<'a>(&'a App);

impl App {
    pub fn payments(&self) -> Payments<'_> {
        Payments(self)
    }
}

/// A payment by the reference of its order.
#[derive(Debug, Clone)]
pub struct ShownPayment {
    pub reference_id: String,
    pub payment: Payment,
}

impl Payments<'_> {
    pub async fn find(&self, caller: &impl ActsFor, reference: &str) -> Result<ShownPayment> {
        let found = store::orders::show(self.0.db(), caller.tenant(), reference).await?;
        let order = found.ok_or(Error::NotFound(Thing::Payment))?.order;
        Ok(ShownPayment { reference_id: order.reference_id().to_owned(), payment: order.ledger.state() })
    }
}
