//! The one event that webhooks cause themselves: an endpoint was given up.

use serde::Serialize;

use crate::events::fact::Place;
use crate::events::{Fact, Kind};
use crate::{EventId, Timestamp, WebhookId};

/// An endpoint that has only failed for a day.
#[derive(Debug, Clone)]
pub struct Defective {
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
    pub fn webhook_defective(now: Timestamp, told: &Defective) -> Self {
        Self::new(Kind::WebhookDefective, now, Place::default(), true, |id| Body {
            id,
            created: now.to_rfc3339(),
            webhook_id: told.webhook_id,
            url: &told.url,
            status: crate::webhooks::Status::Defective.code(),
            failed_attempts: told.failed_attempts,
            failing_since: told.failing_since.to_rfc3339(),
            last_delivered: told.last_delivered.map(Timestamp::to_rfc3339),
        })
    }
}
