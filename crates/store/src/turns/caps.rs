//! A cap for each tenant on a resource that several callers can use at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use domain::TenantId;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::party;

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
        let semaphore = self.of(tenant);
        Turn(semaphore.acquire_owned().await.ok())
    }

    fn of(&self, tenant: TenantId) -> Arc<Semaphore> {
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
