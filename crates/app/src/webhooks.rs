//! Webhooks: managing endpoints, and delivering events to them.
//!
//! A delivery passes these modules in order: `events` (the log) → `directory` (which endpoints this node owns) →
//! `dispatcher` (one task for each endpoint: reads, orders, posts) → `post` (one signed request) → `exchange` and
//! `progress` (reports to the recorder and its answers) → `recorder` (stores outcomes in batches).
//! `workers/src/webhooks.rs` starts the dispatchers. The other modules serve requests: `manage`, `view`, `request`,
//! `deliveries`, `recover`, `rotate`, `summary`, `test`. `forward` posts events to a developer's own machine.

mod attempt;
mod conversation_order;
mod deliveries;
mod directory;
mod dispatcher;
mod endpoint;
mod exchange;
mod forward;
mod manage;
mod post;
mod progress;
mod recorder;
mod recover;
mod request;
mod rotate;
mod summary;
mod sweep;
mod test;
mod view;

pub use deliveries::{DeliveryAttempt, DeliveryPage, DeliveryWithAttempts};
pub(crate) use directory::{EndpointDirectory, NODE_LEASES};
pub use dispatcher::{DispatcherEnd, WhenIdle};
pub use endpoint::Endpoint;
pub use exchange::EndpointKey;
pub use forward::{ForwardResult, Forwarder};
pub use recover::{RecoveryPreview, RecoveryResult};
pub use request::{KEPT_VALUE, WebhookRequest, named_types};
pub use summary::WebhookSummary;
pub use test::TestResult;
pub use view::WebhookView;

use std::sync::Arc;

use channels::guard::{Guard, GuardedTransport};
use channels::transport::{Timeouts, Transport};

use crate::App;

/// Most requests in flight to one endpoint, unless the endpoint sets its own limit.
const IN_FLIGHT: usize = 32;

/// The settings of an installation for deliveries.
#[derive(Debug, Clone)]
pub struct WebhookPolicy {
    /// Sends the requests, and refuses addresses that the guard does not allow.
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
