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
mod endpoint_directory;
mod endpoint_key;
mod exchange;
mod forward;
mod manage;
mod policy;
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
pub use dispatcher::{DispatcherEnd, WhenIdle};
pub use endpoint::Endpoint;
pub(crate) use endpoint_directory::EndpointDirectory;
pub use endpoint_key::EndpointKey;
pub use forward::{ForwardResult, Forwarder};
pub use policy::WebhookPolicy;
pub use recover::{RecoveryPreview, RecoveryResult};
pub use request::{KEPT_VALUE, WebhookRequest, named_types};
pub use summary::WebhookSummary;
pub use test::TestResult;
pub use view::WebhookView;

use crate::delivery::EventDelivery;

#[derive(Debug)]
pub struct Webhooks<'a>(&'a EventDelivery);

impl EventDelivery {
    pub fn webhooks(&self) -> Webhooks<'_> {
        Webhooks(self)
    }
}
