//! The number of contacts that a filter allows, cached until the tenant's contacts change.

use domain::TenantId;
use domain::contacts::{ContactFilter, IndexPlan, Term};
use moka::sync::Cache;
use store::Db;
use store::contacts::Count;

use super::list::{scan_filtered, window};
use crate::Result;

/// Totals of filters are counted up to this.
pub const MAX_TOTAL: i64 = 10_000;
/// Contacts scanned for a count that the index cannot answer.
const SCAN_BUDGET: i64 = 20_000;
const REMEMBERED: u64 = 1000;

#[derive(Debug)]
pub struct Totals(Cache<(TenantId, ContactFilter), (i64, i64)>);

impl Default for Totals {
    fn default() -> Self {
        Self(Cache::new(REMEMBERED))
    }
}

impl Totals {
    /// Exact without a filter. With one, at most `MAX_TOTAL`; where the index cannot answer, the count covers the
    /// contacts that `SCAN_BUDGET` allows.
    pub(super) async fn of(&self, db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
        let Count { contacts, changes } = store::contacts::count(db, tenant).await?;
        if filter.is_empty() {
            return Ok(contacts);
        }
        let key = (tenant, filter.clone());
        if let Some((_, total)) = self.0.get(&key).filter(|(then, _)| *then == changes) {
            return Ok(total);
        }
        let total = counted(db, tenant, filter).await?;
        self.0.insert(key, (changes, total));
        Ok(total)
    }
}

async fn counted(db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
    let IndexPlan { branches, exact } = filter.plan();
    if exact
        && let [terms] = branches.as_slice()
        && filter.created.is_none_or(whole_seconds)
    {
        let terms: Vec<Term> = store::contacts::rarest_first(db, tenant, terms).await?;
        if let Some(count) = store::contacts::count_exact(db, tenant, &terms, window(filter), MAX_TOTAL).await? {
            return Ok(count);
        }
    }
    let mut total = 0;
    let count = |_: &domain::contacts::ContactView<'_>| {
        total += 1;
        total < MAX_TOTAL
    };
    scan_filtered(db, tenant, filter, None, MAX_TOTAL, SCAN_BUDGET, count).await?;
    Ok(total)
}

/// True if ids alone decide: they are ordered by whole seconds, while contacts have milliseconds.
fn whole_seconds((first, last): (domain::Timestamp, domain::Timestamp)) -> bool {
    first.micros() % 1_000_000 == 0 && last.to_millis().micros() % 1_000_000 == 999_000
}
