//! The state of the room.

use std::collections::HashSet;
use std::sync::Arc;

use arc_swap::ArcSwap;
use channels::transport::Transport;
use domain::TenantId;

use crate::base::room::room;
use crate::delivery::consumers::Handlers;
use crate::delivery::events::{LogPositions, RecentEvents};
use crate::delivery::webhooks::{EndpointDirectory, WebhookPolicy};
use crate::identity::Identity;
use crate::messaging::Messaging;

room! {
    /// The event log and the webhooks that follow it. Cheap to clone.
    EventDelivery(DeliveryState) {
        pub(crate) identity: Identity,
        pub(crate) messaging: Messaging,
        pub(crate) webhook_policy: WebhookPolicy,
        pub(crate) endpoint_directory: EndpointDirectory,
        pub(crate) log_positions: LogPositions,
        pub(crate) recent_events: RecentEvents,
        pub(crate) handlers: Handlers,
        /// The tenants for which reactions are switched on, as far as this node knows (`webhooks/directory.rs`).
        pub(crate) reacting: ArcSwap<HashSet<TenantId>>,
    }
}

impl EventDelivery {
    pub(crate) fn new(messaging: &Messaging, webhook_policy: WebhookPolicy, handlers: Handlers) -> Self {
        Self(Arc::new(DeliveryState {
            base: (**messaging).clone(),
            identity: messaging.identity().clone(),
            messaging: messaging.clone(),
            webhook_policy,
            endpoint_directory: EndpointDirectory::default(),
            log_positions: LogPositions::default(),
            recent_events: RecentEvents::default(),
            handlers,
            reacting: ArcSwap::default(),
        }))
    }

    /// The transport of webhooks, for requests other than deliveries: within the tenant's connections for calls.
    pub(crate) fn webhook_transport(&self, tenant: TenantId) -> Arc<dyn Transport> {
        self.outgoing().transport(Arc::clone(&self.webhook_policy().transport), tenant)
    }

    pub(crate) fn keep_events_seconds(&self) -> i64 {
        i64::from(self.webhook_policy().keep_events_days) * 86_400
    }
}
