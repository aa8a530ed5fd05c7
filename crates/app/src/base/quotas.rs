//! Caps on how many things of each kind a tenant can make. A use case counts the things that exist in the transaction
//! that makes one more, and checks the count here.

use domain::base::quotas::{Quota, Quotas};

use crate::{Error, Result};

/// Refuses `more` things of a kind if the tenant, which has `used`, would then have more than it may have. On
/// PostgreSQL, requests at the same time may exceed the cap by their number: it is a safety limit, not for billing.
pub(crate) fn check(quotas: &Quotas, quota: Quota, used: i64, more: u64) -> Result<()> {
    let (used, max) = (u64::try_from(used).unwrap_or(0), quotas.max(quota));
    if more > 0 && used.saturating_add(more) > max {
        return Err(Error::LimitReached { limit: quota.name(), used, max });
    }
    Ok(())
}
