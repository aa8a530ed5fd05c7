//! Stops a broadcast: messages that no sender has claimed are not sent. A message in flight cannot be called back.

use domain::{BroadcastId, Field, TenantId, Timestamp};
use store::Tx;

use super::{BroadcastDetails, Broadcasts, NO_BROADCAST};
use crate::base::idempotency::{IdempotencyScope, save_outcome, saved_outcome};
use crate::{ActsFor, Error, Result};

#[derive(Debug)]
struct CancelJob {
    tenant: TenantId,
    id: BroadcastId,
    scope: Option<IdempotencyScope>,
    now: Timestamp,
}

#[boxed::futures]
impl Broadcasts<'_> {
    /// Stops the messages of a broadcast that no sender has claimed. `Conflict` when the broadcast was stopped before,
    /// or when none of its messages waits any more. The same request again, under its idempotency key, is no conflict.
    pub async fn cancel(&self, caller: &dyn ActsFor, id: BroadcastId) -> Result<BroadcastDetails> {
        let scope = caller.idempotency_scope().cloned();
        let job = CancelJob { tenant: caller.tenant(), id, scope, now: self.0.now().to_millis() };
        self.0.db().write(job, |tx, job| Box::pin(stop(tx, job))).await?;
        self.find(caller, id).await
    }
}

async fn stop(tx: &mut Tx<'_>, job: &CancelJob) -> Result<()> {
    let CancelJob { tenant, id, now, .. } = *job;
    let broadcast = store::messaging::broadcasts::by_id_for_update(tx, tenant, id).await?.ok_or(NO_BROADCAST)?;
    // An earlier run of the same request stopped the broadcast, and the answer of that run was lost.
    if let Some(scope) = &job.scope
        && saved_outcome(tx, scope).await?.is_some()
    {
        return Ok(());
    }
    if broadcast.stopped_at.is_some() {
        return Err(Error::conflict(Field::Id, "the broadcast was already stopped"));
    }
    if store::messaging::outbox::stop_broadcast(tx, tenant, id).await? == 0 {
        return Err(Error::conflict(Field::Id, "the broadcast has no waiting messages left to stop"));
    }
    store::messaging::broadcasts::set_stopped(tx, tenant, id, now).await?;
    if let Some(scope) = &job.scope {
        save_outcome(tx, scope, &format!("\"{id}\"")).await?;
    }
    Ok(())
}
