//! The log of events: use cases append facts, the numbering worker gives them numbers, and readers read and follow the
//! log. The readers (webhooks, `GET /events`, the stream) are elsewhere.
//!
//! `append` runs in the transaction that makes the fact true, so a fact is stored if and only if it happened. Numbers
//! are given afterwards (`number.rs`), because taking numbers without gaps would make concurrent transactions of a
//! tenant wait for each other. `log_positions.rs` knows the last number of each log, `recent_events.rs` caches the end
//! of each log, `read.rs` reads, `sweep.rs` deletes old events.

mod log_positions;
mod number;
mod read;
mod recent_events;
mod sweep;

pub(crate) use log_positions::LogPositions;
pub use read::EventPage;
pub(crate) use recent_events::RecentEvents;

use domain::TenantId;
use domain::events::Fact;
use store::Tx;

use crate::{App, Result};

#[derive(Debug)]
pub struct Events<'a>(&'a App);

impl App {
    pub fn events(&self) -> Events<'_> {
        Events(self)
    }
}

/// Appends facts in the transaction that makes them true. The commit wakes the numbering worker of this process.
pub(crate) async fn append(tx: &mut Tx<'_>, tenant: TenantId, facts: &[Fact]) -> Result<()> {
    Ok(store::events::append(tx, tenant, facts).await?)
}
