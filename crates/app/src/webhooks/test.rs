//! A test: a sample event, posted at once as a real one would be, and told to nobody but this endpoint.

use std::time::Duration;

use domain::events::{Event, EventType, sample};
use domain::webhooks::DeliveryState;
use domain::{DeliveryId, WebhookId};
use store::webhooks::deliveries::{self, Attempt, Delivery};

use super::manage::opened;
use super::post::{Letter, Outcome, Verdict, post};
use super::shown::NO_WEBHOOK;
use super::{Endpoint, Webhooks};
use crate::{ActsFor, Error, Result};

/// What came of it.
#[derive(Debug, Clone)]
pub struct Tested {
    pub delivery_id: DeliveryId,
    pub kind: EventType,
    pub delivered: bool,
    pub status: Option<u16>,
    pub latency: Duration,
    pub excerpt: Option<String>,
    pub error: Option<String>,
}

impl Webhooks<'_> {
    /// Of one of the endpoint's types: the one named, else its first. It works whether the endpoint is enabled or not.
    pub async fn test(&self, caller: &impl ActsFor, id: WebhookId, kind: Option<&str>) -> Result<Tested> {
        let tenant = caller.tenant();
        let stored = store::webhooks::by_id(self.0.db(), tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let endpoint = opened(self.0, stored)?;
        let event = self.sample_for(caller, &endpoint, kind).await?;
        let transport = &*self.0.webhook_policy().transport;
        let outcome = post(transport, &endpoint, Letter::from(&event), self.0.now()).await;
        let tested = tested(&event, outcome.clone());
        let (delivery, attempt) = records(&endpoint, &tested, &outcome);
        let write = self.0.db().write((tenant, delivery, attempt), |tx, (tenant, delivery, attempt)| {
            Box::pin(async move {
                deliveries::write(tx, &[(*tenant, delivery.clone())]).await?;
                let failed: Vec<_> = attempt.iter().map(|one| (*tenant, one.clone())).collect();
                deliveries::write_attempts(tx, &failed).await
            })
        });
        write.await?;
        Ok(tested)
    }

    async fn sample_for(&self, caller: &impl ActsFor, endpoint: &Endpoint, kind: Option<&str>) -> Result<Event> {
        let kind = match kind {
            Some(name) => asked_type(endpoint, name)?,
            None => endpoint.types.iter().next().ok_or_else(|| Error::conflict("eventTypes", "there are none"))?,
        };
        let channels = self.0.channels().list(caller).await?;
        let meant = channels.iter().find(|one| endpoint.channel_id.map_or(one.is_default, |id| one.id == id));
        sample(kind, self.0.now(), meant).ok_or_else(|| Error::invalid("type", "there is no sample of it"))
    }
}

fn asked_type(endpoint: &Endpoint, name: &str) -> Result<EventType> {
    let kind = EventType::named(name).map_err(|error| Error::invalid("type", error))?;
    if !endpoint.types.contains(kind) {
        return Err(Error::invalid("type", format!("the webhook does not listen to {kind}")));
    }
    Ok(kind)
}

fn tested(event: &Event, outcome: Outcome) -> Tested {
    let error = match outcome.verdict {
        Verdict::Delivered => None,
        Verdict::Failed { error, .. } => Some(error),
        Verdict::Gone => Some("answered 410: the endpoint says that it is no more".to_owned()),
    };
    Tested {
        delivery_id: event.id.delivery(),
        kind: event.kind,
        delivered: error.is_none(),
        status: outcome.status,
        latency: outcome.latency,
        excerpt: outcome.excerpt,
        error,
    }
}

/// It is in the log of deliveries with the number 0.
fn records(endpoint: &Endpoint, tested: &Tested, outcome: &Outcome) -> (Delivery, Option<Attempt>) {
    let latency = i64::try_from(tested.latency.as_micros()).unwrap_or(i64::MAX);
    let status = tested.status.map(i64::from);
    let delivery = Delivery {
        webhook: endpoint.id,
        id: tested.delivery_id,
        number: 0,
        kind: tested.kind,
        conversation_id: None,
        state: if tested.delivered { DeliveryState::Delivered } else { DeliveryState::Failed },
        attempts: 1,
        first_at: outcome.at,
        last_at: outcome.at,
        due_at: None,
        status,
        latency: Some(latency),
        excerpt: tested.excerpt.clone(),
    };
    let attempt = tested.error.clone().map(|error| Attempt {
        webhook: endpoint.id,
        delivery: tested.delivery_id,
        attempt: 1,
        at: outcome.at,
        status,
        latency,
        error,
        excerpt: tested.excerpt.clone(),
    });
    (delivery, attempt)
}
