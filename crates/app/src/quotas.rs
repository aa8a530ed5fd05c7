//! Caps on how many things of each kind a tenant can make. The check is part of the transaction that makes one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::TenantId;
use domain::quotas::{Quota, Quotas};
use store::Tx;

use crate::cache::Cache;
use crate::{App, Error, Result};

/// Refuses `more` things of a kind if the tenant would then have more than it may have. On PostgreSQL, requests at the
/// same time may exceed the cap by their number: it is a safety limit, not for billing.
pub(crate) async fn check(tx: &mut Tx<'_>, quotas: &Quotas, tenant: TenantId, quota: Quota, more: u64) -> Result<()> {
    if more == 0 {
        return Ok(());
    }
    let (used, max) = (store::quotas::used(tx, tenant, quota).await?, quotas.max(quota));
    if used.saturating_add(more) > max {
        return Err(Error::LimitReached { limit: quota.name(), used, max });
    }
    Ok(())
}

/// How long the sum of a tenant's uploaded files is cached before it is read again.
const SUM_KEPT: Duration = Duration::from_mins(1);
const TENANTS: usize = 10_000;

/// Sums of bytes of the files that tenants uploaded. A sum reads the rows of all files, so it is cached for a minute,
/// and new uploads are added to it.
#[derive(Debug)]
pub(crate) struct UploadedBytes(Cache<TenantId, Arc<AtomicU64>>);

impl Default for UploadedBytes {
    fn default() -> Self {
        Self(Cache::with_lifetime(TENANTS, SUM_KEPT))
    }
}

impl App {
    /// Refuses a file of this size if the tenant's uploaded files would have too many bytes; otherwise adds it to the
    /// sum.
    pub(crate) async fn count_upload(&self, tenant: TenantId, size: u64) -> Result<()> {
        let uploaded = self.uploaded_bytes();
        let sum = if let Some(known) = uploaded.0.get(&tenant) {
            known
        } else {
            let read = Arc::new(AtomicU64::new(store::quotas::uploaded_bytes(self.db(), tenant).await?));
            uploaded.0.insert(tenant, Arc::clone(&read));
            read
        };
        let (used, max) = (sum.load(Ordering::Relaxed), self.quotas().media_bytes);
        if used.saturating_add(size.max(1)) > max {
            return Err(Error::LimitReached { limit: "media_bytes", used, max });
        }
        sum.fetch_add(size, Ordering::Relaxed);
        Ok(())
    }
}
