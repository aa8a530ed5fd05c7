//! A broadcast is stopped: what has not left stays. What is on its way to the network cannot be called back.

use domain::{BroadcastId, TenantId, Timestamp};
use store::Tx;

use super::{Broadcasts, NO_BROADCAST, Shown};
use crate::idempotency::{Once, bind, bound};
use crate::{ActsFor, Error, Result};

#[derive(Debug)]
struct Job {
    tenant: TenantId,
    id: BroadcastId,
    once: Option<Once>,
    now: Timestamp,
}

impl Broadcasts<'_> {
    /// A conflict when there is nothing to stop: it was stopped before, or everything has left.
    pub async fn cancel(&self, caller: &impl ActsFor, id: BroadcastId) -> Result<Shown> {
        let once = caller.once().cloned();
        let job = Job { tenant: caller.tenant(), id, once, now: self.0.now().to_millis() };
        self.0.db().write(job, |tx, job| Box::pin(stop(tx, job))).await?;
        self.find(caller, id).await
    }
}

async fn stop(tx: &mut Tx<'_>, job: &Job) -> Result<()> {
    let Job { tenant, id, now, .. } = *job;
    let broadcast = store::broadcasts::held(tx, tenant, id).await?.ok_or(NO_BROADCAST)?;
    // The same request before, whose answer was lost.
    if let Some(once) = &job.once
        && bound(tx, once).await?.is_some()
    {
        return Ok(());
    }
    if broadcast.stopped_at.is_some() {
        return Err(Error::conflict("id", "the broadcast was stopped already"));
    }
    if store::outbox::stop_broadcast(tx, tenant, id).await? == 0 {
        return Err(Error::conflict("id", "nothing of the broadcast waits any more"));
    }
    store::broadcasts::set_stopped(tx, tenant, id, now).await?;
    if let Some(once) = &job.once {
        bind(tx, once, &format!("\"{id}\"")).await?;
    }
    Ok(())
}
