//! The log of events: use cases emit facts (`crate::base::emit`), the numbering worker gives them numbers, and readers
//! read and follow the log. The readers (webhooks, `GET /events`, the stream) are elsewhere.
//!
//! Numbers are given after the transaction that emits a fact (`number.rs`), because taking numbers without gaps would
//! make concurrent transactions of a tenant wait for each other. `log_positions.rs` knows the last number of each log,
//! `recent_events.rs` caches the end of each log, `read.rs` reads, `sweep.rs` deletes old events.

mod erase;
mod log_positions;
mod number;
mod read;
mod recent_events;
mod sample;
mod sweep;

pub(crate) use log_positions::{Follower, LogPositions};
pub use read::EventPage;
pub(crate) use recent_events::RecentEvents;
pub use sample::RealChannels;

use crate::delivery::EventDelivery;

#[derive(Debug)]
pub struct Events<'a>(&'a EventDelivery);

impl EventDelivery {
    pub fn events(&self) -> Events<'_> {
        Events(self)
    }
}
