//! Telling again what an endpoint has missed since a time: what failed or was parked is tried once more, and what was
//! never tried is read again.

use domain::webhooks::Status;
use domain::{TenantId, Timestamp, WebhookId};
use serde_json::json;
use store::Tx;
use store::webhooks::{deliveries, lanes};

use super::Webhooks;
use super::shown::NO_WEBHOOK;
use crate::{Actor, ActsFor, Error, Result};

/// What a recovery has set going.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovered {
    pub id: WebhookId,
    pub status: Status,
    /// Deliveries that are tried again.
    pub deliveries: u64,
    /// Those before that time that will not be, where order counts.
    pub given_up: u64,
    /// The endpoint is told what follows this number and was not delivered.
    pub after: i64,
    /// Events of the log that are looked at again.
    pub events: i64,
}

#[derive(Debug)]
struct Recovering {
    actor: Actor,
    tenant: TenantId,
    id: WebhookId,
    since: Timestamp,
    now: Timestamp,
    /// Everything after this number happened since then.
    before: i64,
}

impl Webhooks<'_> {
    pub async fn recover(
        &self,
        actor: &Actor,
        caller: &impl ActsFor,
        id: WebhookId,
        since: Timestamp,
    ) -> Result<Recovered> {
        let (tenant, now) = (caller.tenant(), self.0.now().to_millis());
        if since > now {
            return Err(Error::invalid("since", "is in the future"));
        }
        let before = self.0.events().before(tenant, since).await?;
        let input = Recovering { actor: actor.clone(), tenant, id, since, now, before };
        let recovered = self.0.db().write(input, |tx, input| Box::pin(input.write(tx))).await?;
        self.0.post_office().changed();
        Ok(recovered)
    }
}

impl Recovering {
    async fn write(&self, tx: &mut Tx<'_>) -> Result<Recovered> {
        let Self { tenant, id, since, now, .. } = *self;
        let mut stored = store::webhooks::for_update(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        if stored.status == Status::Disabled {
            return Err(Error::conflict("status", "the webhook is disabled; enable it first"));
        }
        let lane = lanes::state_in(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let after = lane.position.min(self.before);
        lanes::place(tx, tenant, id, after).await?;
        let (deliveries, given_up) = if stored.ordered {
            deliveries::recover_in_order(tx, tenant, id, since, now).await?
        } else {
            (deliveries::recover(tx, tenant, id, since, now).await?, 0)
        };
        (stored.status, stored.reason, stored.updated_at) = (Status::Enabled, None, now);
        store::webhooks::update(tx, &stored).await?;
        let details = json!({"since": since.to_rfc3339(), "deliveries": deliveries, "after": after});
        self.actor.note(tx, tenant, now, "webhook.recover", &id.to_string(), details).await?;
        let events = lane.position - after;
        Ok(Recovered { id, status: stored.status, deliveries, given_up, after, events })
    }
}
