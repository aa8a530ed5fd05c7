//! Webhooks: managing endpoints, and telling them what happens. The log is `events`; HTTP itself is the transport's.

mod attempt;
mod deliveries;
mod endpoint;
mod exchange;
mod lane;
mod manage;
mod office;
mod order;
mod post;
mod progress;
mod rate;
mod record;
mod recover;
mod rotate;
mod shown;
mod sweep;
mod test;
mod wanted;

pub use deliveries::{Attempt, DeliveryPage, Detailed};
pub use endpoint::Endpoint;
pub use exchange::LaneKey;
pub use lane::{Ended, Patience};
pub(crate) use office::PostOffice;
pub use recover::Recovered;
pub use shown::Shown;
pub use test::Tested;
pub use wanted::{KEPT_VALUE, Wanted, named_types};

use std::sync::Arc;

use channels::guard::{Guard, GuardedTransport};
use channels::transport::{Timeouts, Transport};

use crate::App;

/// Requests to one endpoint that may be under way at once, unless it says otherwise.
const IN_FLIGHT: usize = 32;

/// What an installation decides about telling others.
#[derive(Debug, Clone)]
pub struct Policy {
    /// How endpoints are reached: only where the guard lets through.
    pub transport: Arc<dyn Transport>,
    /// The same guard, for refusing an address before anything is sent there.
    pub guard: Guard,
    pub in_flight: usize,
    /// Days that an event stays in the log.
    pub keep_events_days: u32,
    /// Days that a delivery stays in its endpoint's.
    pub keep_deliveries_days: u32,
}

impl Policy {
    /// The usual one, with an HTTP client behind this guard.
    pub fn guarded(guard: Guard) -> Result<Self, impl std::error::Error + Send + Sync + 'static> {
        let timeouts = Timeouts { call: post::ANSWER_WITHIN, ..Timeouts::default() };
        GuardedTransport::new(guard.clone(), timeouts).map(|transport| Self {
            transport: Arc::new(transport),
            guard,
            in_flight: IN_FLIGHT,
            keep_events_days: 30,
            keep_deliveries_days: 7,
        })
    }
}

#[derive(Debug)]
pub struct Webhooks<'a>(&'a App);

impl App {
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks(self)
    }
}
