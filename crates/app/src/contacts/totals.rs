//! How many contacts a filter allows: counted once for each state of the tenant's contacts.

use domain::TenantId;
use domain::contacts::{Filter, Plan, Term};
use moka::sync::Cache;
use store::Db;
use store::contacts::Count;

use super::list::{looked_through, window};
use crate::Result;

/// Totals are counted up to here.
pub const COUNTED: i64 = 10_000;
/// Contacts that are looked at to count them, where the index cannot answer.
const LOOKED_AT: i64 = 20_000;
const REMEMBERED: u64 = 1000;

#[derive(Debug)]
pub struct Totals(Cache<(TenantId, Filter), (i64, i64)>);

impl Default for Totals {
    fn default() -> Self {
        Self(Cache::new(REMEMBERED))
    }
}

impl Totals {
    /// Exact without a filter; with one it is counted up to `COUNTED`, among as many contacts as a count may look at.
    pub(super) async fn of(&self, db: &Db, tenant: TenantId, filter: &Filter) -> Result<i64> {
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

async fn counted(db: &Db, tenant: TenantId, filter: &Filter) -> Result<i64> {
    let Plan { branches, exact } = filter.plan();
    if exact
        && let [terms] = branches.as_slice()
        && filter.created.is_none_or(whole_seconds)
    {
        let terms: Vec<Term> = store::contacts::rarest_first(db, tenant, terms).await?;
        if let Some(count) = store::contacts::count_exact(db, tenant, &terms, window(filter), COUNTED).await? {
            return Ok(count);
        }
    }
    let mut total = 0;
    let count = |_: &domain::contacts::ContactView<'_>| {
        total += 1;
        total < COUNTED
    };
    looked_through(db, tenant, filter, None, COUNTED, LOOKED_AT, count).await?;
    Ok(total)
}

/// Ids bound whole seconds; anything finer is looked at in the contact, which was made in a whole millisecond.
fn whole_seconds((first, last): (domain::Timestamp, domain::Timestamp)) -> bool {
    first.micros() % 1_000_000 == 0 && last.to_millis().micros() % 1_000_000 == 999_000
}
