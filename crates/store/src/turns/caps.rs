//! A cap for each tenant on a resource that several can use at a time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use domain::TenantId;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::party;

/// Forgets tenants that use nothing when there are more than this.
const MANY: usize = 1024;

/// Each tenant may hold this many at a time. Work outside of a tenant's turns has no cap.
#[derive(Debug)]
pub(crate) struct TenantCaps {
    cap: usize,
    tenants: Mutex<HashMap<TenantId, Weak<Semaphore>>>,
}

/// Held while the resource is used.
#[derive(Debug)]
pub(crate) struct Turn(#[expect(dead_code, reason = "its drop ends the turn")] Option<OwnedSemaphorePermit>);

impl TenantCaps {
    pub fn new(cap: usize) -> Self {
        Self { cap: cap.max(1), tenants: Mutex::default() }
    }

    /// Waits behind work of the same tenant only.
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
