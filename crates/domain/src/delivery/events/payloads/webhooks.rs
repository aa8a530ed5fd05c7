//! The one event that webhooks cause themselves: an endpoint became defective.

use serde::Serialize;

use crate::delivery::events::fact::FactScope;
use crate::delivery::events::{Fact, FactKind};
use crate::{EventId, Timestamp, WebhookId};

/// An endpoint that failed for a day without one success.
#[derive(Debug, Clone)]
pub struct DefectiveWebhook {
    pub webhook_id: WebhookId,
    pub url: String,
    pub failed_attempts: i64,
    pub failing_since: Timestamp,
    pub last_delivered: Option<Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    id: EventId,
    created: String,
    webhook_id: WebhookId,
    url: &'a str,
    status: i64,
    failed_attempts: i64,
    failing_since: String,
    last_delivered: Option<String>,
}

impl Fact {
    pub fn webhook_defective(now: Timestamp, defective: &DefectiveWebhook) -> Self {
        Self::new(FactKind::WebhookDefective, now, FactScope::default(), |id| Body {
            id,
            created: now.to_rfc3339(),
            webhook_id: defective.webhook_id,
            url: &defective.url,
            status: crate::delivery::webhooks::WebhookStatus::Defective.code(),
            failed_attempts: defective.failed_attempts,
            failing_since: defective.failing_since.to_rfc3339(),
            last_delivered: defective.last_delivered.map(Timestamp::to_rfc3339),
        })
    }
}
