//! Consumers of the event log: what Switchboard itself does with facts. A later room that reacts to what happened in an
//! earlier one implements `FactHandler` and is listed in `lib.rs`.

mod handler;
mod parked;
mod run;

pub(crate) use handler::{FactBatch, FactHandler, FactHandlers, Handlers};

use crate::delivery::EventDelivery;

#[derive(Debug)]
pub struct Consumers<'a>(&'a EventDelivery);

impl EventDelivery {
    pub fn consumers(&self) -> Consumers<'_> {
        Consumers(self)
    }
}
