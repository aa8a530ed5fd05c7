//! Caps for each tenant on the kinds of things that it can make. The check is part of the transaction that makes one.

use domain::TenantId;
use domain::quotas::{Quota, Quotas};
use store::Tx;

use crate::{Error, Result};

/// Refuses `more` of a kind beyond what the tenant may have. Requests at the same time may exceed it by their number on
/// PostgreSQL: the cap bounds, it does not bill.
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
