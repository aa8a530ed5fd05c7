//! The name of an endpoint among those of all tenants.

use domain::{TenantId, WebhookId};

/// The endpoint that a dispatcher serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EndpointKey {
    pub tenant: TenantId,
    pub webhook: WebhookId,
}
