//! The cap on the bytes that a tenant uploads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::TenantId;
use store::Db;

use crate::base::cache::Cache;
use crate::{Error, Result};

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

impl UploadedBytes {
    /// Refuses a file of this size if the tenant's uploaded files would have more than `max` bytes; otherwise adds it
    /// to the sum.
    pub async fn count_upload(&self, db: &Db, max: u64, tenant: TenantId, size: u64) -> Result<()> {
        let sum = if let Some(known) = self.0.get(&tenant) {
            known
        } else {
            let read = Arc::new(AtomicU64::new(store::messaging::media::usage::uploaded_bytes(db, tenant).await?));
            self.0.insert(tenant, Arc::clone(&read));
            read
        };
        let used = sum.load(Ordering::Relaxed);
        if used.saturating_add(size.max(1)) > max {
            return Err(Error::LimitReached { limit: "media_bytes", used, max });
        }
        sum.fetch_add(size, Ordering::Relaxed);
        Ok(())
    }
}
