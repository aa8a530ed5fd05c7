//! The settings of an installation for deliveries.

use std::sync::Arc;

use channels::guard::{Guard, GuardedTransport};
use channels::outgoing::OutgoingBudget;
use channels::transport::{Timeouts, Transport};

use super::post;

/// Most requests in flight to one endpoint, unless the endpoint sets its own limit.
const IN_FLIGHT: usize = 32;

/// The settings of an installation for deliveries.
#[derive(Debug, Clone)]
pub struct WebhookPolicy {
    /// Sends the requests, and refuses addresses that the guard does not allow. A delivery needs a permit of the budget
    /// for outgoing connections; `EventDelivery::webhook_transport` is for all other requests.
    pub transport: Arc<dyn Transport>,
    /// The guard of `transport`, used to refuse an address when an endpoint is created or changed.
    pub guard: Guard,
    pub in_flight: usize,
    /// Days that an event stays in the log; the sweep deletes older ones, delivered or not.
    pub keep_events_days: u32,
    /// Days after its event that a delivery is kept, in any state; the sweep deletes older ones.
    pub keep_deliveries_days: u32,
}

impl WebhookPolicy {
    /// The default policy, with an HTTP client behind this guard.
    pub fn guarded(
        guard: Guard,
        outgoing: &OutgoingBudget,
    ) -> Result<Self, impl std::error::Error + Send + Sync + use<> + 'static> {
        let kept_open = outgoing.kept_open();
        let timeouts = Timeouts { call: post::ANSWER_WITHIN, ..Timeouts::default() };
        GuardedTransport::new(guard.clone(), timeouts).map(|transport| Self {
            transport: Arc::new(transport.keeping_open(kept_open)),
            guard,
            in_flight: IN_FLIGHT,
            keep_events_days: 30,
            keep_deliveries_days: 7,
        })
    }
}
