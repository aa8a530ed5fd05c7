//! A cap for each tenant on a resource that several callers can use at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use domain::TenantId;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::party;
use crate::{Error, Result};

/// With more tenants than this, those that use nothing are removed from the map.
const MANY: usize = 1024;

/// Lets each tenant hold at most `cap` of a resource at a time. Work outside of `for_tenant` has no cap.
#[derive(Debug)]
pub(crate) struct TenantCaps {
    cap: usize,
    tenants: Mutex<HashMap<TenantId, Weak<Semaphore>>>,
}

/// Held while the resource is used; dropping it ends the turn.
#[derive(Debug)]
pub(crate) struct Turn(#[expect(dead_code, reason = "its drop ends the turn")] Option<OwnedSemaphorePermit>);

impl TenantCaps {
    pub fn new(cap: usize) -> Self {
        Self { cap: cap.max(1), tenants: Mutex::default() }
    }

    /// Waits while the tenant itself holds as many as its cap allows.
    pub async fn turn(&self) -> Turn {
        let Some(tenant) = party() else { return Turn(None) };
        let semaphore = self.semaphore(tenant);
        Turn(semaphore.acquire_owned().await.ok())
    }

    /// The same, unless `most_waiting` others of the tenant wait already.
    pub async fn turn_or_refusal(&self, most_waiting: usize) -> Result<Turn> {
        let Some(tenant) = party() else { return Ok(Turn(None)) };
        let semaphore = self.semaphore(tenant);
        // Each turn, and each wait for one, has a reference of its own.
        if Arc::strong_count(&semaphore) > self.cap + most_waiting {
            return Err(Error::Overloaded);
        }
        Ok(Turn(semaphore.acquire_owned().await.ok()))
    }

    fn semaphore(&self, tenant: TenantId) -> Arc<Semaphore> {
        let mut tenants = self.tenants.lock();
        if let Some(known) = tenants.get(&tenant).and_then(Weak::upgrade) {
            return known;
        }
        if tenants.len() > MANY {
            tenants.retain(|_, known| known.strong_count() > 0);
        }
        let new = Arc::new(Semaphore::new(self.cap));
        tenants.insert(tenant, Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;
    use crate::for_tenant;

    #[tokio::test]
    async fn a_tenant_waits_for_itself_and_is_refused_when_too_much_waits() {
        let caps = TenantCaps::new(1);
        let (one, other) = (TenantId::from_number(1_000_001), TenantId::from_number(1_000_002));
        let held = for_tenant(one, caps.turn_or_refusal(2)).await.unwrap();
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(for_tenant(one, caps.turn_or_refusal(2)))).collect();
        assert!(waiting.iter_mut().all(|turn| turn.as_mut().poll(&mut context).is_pending()));
        assert!(matches!(for_tenant(one, caps.turn_or_refusal(2)).await, Err(Error::Overloaded)));
        for_tenant(other, caps.turn_or_refusal(2)).await.unwrap();
        caps.turn_or_refusal(0).await.unwrap();
        drop(held);
        for turn in waiting {
            turn.await.unwrap();
        }
        for_tenant(one, caps.turn_or_refusal(0)).await.unwrap();
    }
}
