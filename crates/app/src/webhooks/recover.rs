//! Recovery: delivers what an endpoint has missed since a time. Every delivery since then that was not delivered
//! (failed, parked, held or retrying) is retried from now on, and events since then without a delivery are read from
//! the log again. A defective endpoint becomes enabled; a disabled one is refused.

use domain::webhooks::WebhookStatus;
use domain::{TenantId, Timestamp, WebhookId};
use serde_json::json;
use store::Tx;
use store::webhooks::{deliveries, dispatch_state};

use super::Webhooks;
use super::view::NO_WEBHOOK;
use crate::{Actor, ActsFor, Error, Result};

/// What a recovery started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryResult {
    pub id: WebhookId,
    pub status: WebhookStatus,
    /// Deliveries that are retried; with ordered delivery, one of each conversation at a time.
    pub deliveries: u64,
    /// Parked deliveries of conversations from before that time that were given up; only with ordered delivery.
    pub given_up: u64,
    /// The log is read again after this number: the endpoint gets the events that have no delivery yet.
    pub after: i64,
    /// How many numbers of the log are read again.
    pub events: i64,
}

#[derive(Debug)]
struct Recovery {
    actor: Actor,
    tenant: TenantId,
    id: WebhookId,
    since: Timestamp,
    now: Timestamp,
    /// Every event since that time has a greater number.
    before: i64,
}

impl Webhooks<'_> {
    pub async fn recover(
        &self,
        actor: &Actor,
        caller: &impl ActsFor,
        id: WebhookId,
        since: Timestamp,
    ) -> Result<RecoveryResult> {
        let (tenant, now) = (caller.tenant(), self.0.now().to_millis());
        if since > now {
            return Err(Error::invalid("since", "is in the future"));
        }
        let before = self.0.events().number_before(tenant, since).await?;
        let input = Recovery { actor: actor.clone(), tenant, id, since, now, before };
        let recovered = self.0.db().write(input, |tx, input| Box::pin(input.write(tx))).await?;
        self.0.endpoint_directory().changed();
        Ok(recovered)
    }
}

impl Recovery {
    async fn write(&self, tx: &mut Tx<'_>) -> Result<RecoveryResult> {
        let Self { tenant, id, since, now, .. } = *self;
        let mut stored = store::webhooks::for_update(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        if stored.status == WebhookStatus::Disabled {
            return Err(Error::conflict("status", "the webhook is disabled; enable it first"));
        }
        let state = dispatch_state::state_in(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let after = state.position.min(self.before);
        dispatch_state::reset_to(tx, tenant, id, after).await?;
        let (deliveries, given_up) = if stored.ordered {
            deliveries::recover_in_order(tx, tenant, id, since, now).await?
        } else {
            (deliveries::recover(tx, tenant, id, since, now).await?, 0)
        };
        (stored.status, stored.reason, stored.updated_at) = (WebhookStatus::Enabled, None, now);
        store::webhooks::update(tx, &stored).await?;
        let details = json!({"since": since.to_rfc3339(), "deliveries": deliveries, "after": after});
        self.actor.note(tx, tenant, now, "webhook.recover", &id.to_string(), details).await?;
        let events = state.position - after;
        Ok(RecoveryResult { id, status: stored.status, deliveries, given_up, after, events })
    }
}
