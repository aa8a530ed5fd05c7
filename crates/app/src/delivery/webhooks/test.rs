//! The test of an endpoint: posts a sample event at once, signed as a real one, to this endpoint only. The result is
//! listed among the deliveries; it is never retried and does not count for the endpoint's health.

use std::time::Duration;

use domain::delivery::events::{Event, EventType, sample};
use domain::delivery::webhooks::{AttemptErrorCode, Delivery, DeliveryState};
use domain::{DeliveryId, Field, WebhookId};
use store::delivery::webhooks::deliveries::{self, FailedAttempt};

use super::manage::opened;
use super::post::{AttemptOutcome, DeliveryBody, Verdict, post};
use super::view::NO_WEBHOOK;
use super::{Endpoint, Webhooks};
use crate::{ActsFor, Error, Result};

#[derive(Debug, Clone)]
pub struct TestResult {
    pub delivery_id: DeliveryId,
    pub kind: EventType,
    pub delivered: bool,
    pub status: Option<u16>,
    pub latency: Duration,
    pub excerpt: Option<String>,
    pub error: Option<String>,
    pub error_code: Option<AttemptErrorCode>,
}

#[boxed::futures]
impl Webhooks<'_> {
    /// Posts a sample event of the named type, or of the first type of the endpoint, and stores the result. The
    /// endpoint need not be enabled.
    pub async fn test(&self, caller: &dyn ActsFor, id: WebhookId, kind: Option<&str>) -> Result<TestResult> {
        let tenant = caller.tenant();
        let stored = store::delivery::webhooks::by_id(self.0.db(), tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let endpoint = opened(self.0, stored)?;
        let event = self.sample_for(caller, &endpoint, kind).await?;
        let transport = self.0.webhook_transport(tenant);
        let (target, body) = (endpoint.target(self.0.now()), DeliveryBody::new(&event, &self.0.file_address(tenant)));
        let outcome = post(&*transport, &target, body, self.0.clock()).await;
        let result = test_result(&event, outcome.clone());
        let (delivery, attempt) = records(&endpoint, &result, &outcome);
        let write = self.0.db().write((tenant, delivery, attempt), |tx, (tenant, delivery, attempt)| {
            Box::pin(async move {
                deliveries::write(tx, &[(*tenant, delivery.clone())]).await?;
                let failed: Vec<_> = attempt.iter().map(|one| (*tenant, one.clone())).collect();
                deliveries::write_attempts(tx, &failed).await
            })
        });
        write.await?;
        Ok(result)
    }

    /// A sample of every event type that endpoints can subscribe to, for the tenant's default channel.
    pub async fn samples(&self, caller: &dyn ActsFor) -> Result<Vec<Event>> {
        let channels = self.0.messaging().channels().list(caller).await?;
        let usual = channels.iter().find(|one| one.is_default);
        let now = self.0.now();
        Ok(EventType::for_webhooks().filter_map(|kind| sample(kind, now, usual)).collect())
    }

    async fn sample_for(&self, caller: &dyn ActsFor, endpoint: &Endpoint, kind: Option<&str>) -> Result<Event> {
        let kind = match kind {
            Some(name) => asked_type(endpoint, name)?,
            None => endpoint
                .types
                .iter()
                .next()
                .ok_or_else(|| Error::conflict(Field::EventTypes, "the webhook has no event types"))?,
        };
        let channels = self.0.messaging().channels().list(caller).await?;
        let meant = channels.iter().find(|one| endpoint.channel_id.map_or(one.is_default, |id| one.id == id));
        sample(kind, self.0.now(), meant)
            .ok_or_else(|| Error::invalid(Field::Type, "no sample exists for this event type"))
    }
}

fn asked_type(endpoint: &Endpoint, name: &str) -> Result<EventType> {
    let kind = EventType::named(name).map_err(|error| Error::invalid(Field::Type, error))?;
    if !endpoint.types.contains(kind) {
        return Err(Error::invalid(Field::Type, format!("the webhook is not subscribed to {kind}")));
    }
    Ok(kind)
}

fn test_result(event: &Event, outcome: AttemptOutcome) -> TestResult {
    let error = match outcome.verdict {
        Verdict::Delivered => None,
        Verdict::Failed { error, .. } => Some(error),
        Verdict::Gone => Some("answered 410: the endpoint is gone".to_owned()),
    };
    TestResult {
        delivery_id: event.id.delivery(),
        kind: event.kind,
        delivered: error.is_none(),
        status: outcome.status,
        latency: outcome.latency,
        excerpt: outcome.excerpt,
        error,
        error_code: outcome.trace.error_code,
    }
}

/// The rows of a test. It is listed among the deliveries with the number 0, which no event of a log has.
fn records(endpoint: &Endpoint, result: &TestResult, outcome: &AttemptOutcome) -> (Delivery, Option<FailedAttempt>) {
    let latency = i64::try_from(result.latency.as_micros()).unwrap_or(i64::MAX);
    let status = result.status.map(i64::from);
    let delivery = Delivery {
        webhook: endpoint.id,
        id: result.delivery_id,
        number: 0,
        kind: result.kind,
        conversation_id: None,
        state: if result.delivered { DeliveryState::Delivered } else { DeliveryState::Failed },
        attempts: 1,
        first_at: outcome.at,
        last_at: outcome.at,
        due_at: None,
        status,
        latency: Some(latency),
        excerpt: result.excerpt.clone(),
        trace: Some(outcome.trace.clone()),
        recovery: None,
        asked: None,
    };
    let attempt = result.error.clone().map(|error| FailedAttempt {
        webhook: endpoint.id,
        delivery: result.delivery_id,
        attempt: 1,
        at: outcome.at,
        status,
        latency,
        error,
        excerpt: result.excerpt.clone(),
        trace: Some(outcome.trace.clone()),
    });
    (delivery, attempt)
}
