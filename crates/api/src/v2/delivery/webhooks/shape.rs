//! The wire shape of an endpoint in V2.

use app::delivery::webhooks::WebhookView;
use domain::delivery::events::EventType;
use domain::delivery::webhooks::WebhookStatus;
use domain::{ChannelId, WebhookId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookEndpointsV2 {
    #[schema(example = true)]
    ok: bool,
    result: Vec<EndpointShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookEndpointV2)]
pub(crate) struct EndpointShape {
    id: WebhookId,
    #[schema(example = "100001")]
    tenant_id: String,
    /// Null if the endpoint receives events from all channels.
    channel_id: Option<ChannelId>,
    #[schema(example = "14155550100")]
    channel_phone_number: Option<String>,
    #[schema(example = "https://example.com/hooks/switchboard")]
    url: String,
    /// 0 disabled, 1 enabled, 2 defective.
    #[schema(example = 1)]
    status: i64,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_updated: Timestamp,
    /// Consecutive failed attempts.
    #[schema(example = 0)]
    failed_iteration_count: i64,
    /// True while the endpoint is defective: the event that reports it was appended.
    #[schema(example = false)]
    is_sent_notify: bool,
    #[schema(example = json!(["message", "templateMessageSent_v2"]))]
    event_types: Vec<&'static str>,
}

impl From<Vec<WebhookView>> for WebhookEndpointsV2 {
    fn from(all: Vec<WebhookView>) -> Self {
        Self { ok: true, result: all.into_iter().map(EndpointShape::from).collect() }
    }
}

impl From<WebhookView> for EndpointShape {
    fn from(one: WebhookView) -> Self {
        Self {
            id: one.id,
            tenant_id: one.tenant.to_string(),
            channel_id: one.channel_id,
            channel_phone_number: one.channel.map(|channel| channel.phone_number),
            url: one.url,
            status: one.status.code(),
            created: one.created_at,
            last_updated: one.updated_at,
            failed_iteration_count: one.health.failed_in_a_row,
            is_sent_notify: one.status == WebhookStatus::Defective,
            event_types: one.types.iter().map(EventType::name).collect(),
        }
    }
}
