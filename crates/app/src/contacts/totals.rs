//! The number of contacts that a filter allows, cached until the tenant's contacts change.
//!
//! A total is exact. A filter that the index answers is counted by the database alone; of any other filter each
//! candidate is read and checked, in batches, off the threads that serve requests. Of several requests for one total at
//! a time, one counts and the others wait for it.

use std::sync::Arc;

use domain::TenantId;
use domain::contacts::{ContactFilter, ContactView, IndexPlan, Term};
use moka::sync::Cache;
use store::Db;
use store::contacts::Count;
use tokio::sync::Mutex;

use super::list::window;
use crate::Result;

/// Contacts read at once while counting.
const BATCH: i64 = 5000;
const REMEMBERED: u64 = 1000;

/// The total of a filter at a number of changes.
#[derive(Debug, Clone, Copy)]
struct KnownTotal {
    changes: i64,
    total: i64,
}

type Slot = Arc<Mutex<Option<KnownTotal>>>;

#[derive(Debug)]
pub struct Totals(Cache<(TenantId, ContactFilter), Slot>);

impl Default for Totals {
    fn default() -> Self {
        Self(Cache::new(REMEMBERED))
    }
}

impl Totals {
    pub(super) async fn of(&self, db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
        let Count { contacts, changes } = store::contacts::count(db, tenant).await?;
        if filter.is_empty() {
            return Ok(contacts);
        }
        let slot = self.0.get_with((tenant, filter.clone()), Slot::default);
        let mut known = slot.lock().await;
        // A count that ended while this request waited is at least as new as the changes that the request saw.
        if let Some(KnownTotal { total, .. }) = known.filter(|known| known.changes >= changes) {
            return Ok(total);
        }
        let total = count_matching(db, tenant, filter, contacts).await?;
        *known = Some(KnownTotal { changes, total });
        Ok(total)
    }
}

async fn count_matching(db: &Db, tenant: TenantId, filter: &ContactFilter, contacts: i64) -> Result<i64> {
    match positive(filter) {
        Some(positive) => Ok((contacts - counted(db, tenant, &positive).await?).max(0)),
        None => counted(db, tenant, filter).await,
    }
}

/// The filter that allows exactly the other contacts, of a filter that is one negation: the index answers it.
fn positive(filter: &ContactFilter) -> Option<ContactFilter> {
    let [condition] = filter.conditions.as_slice() else { return None };
    let alone = ContactFilter { conditions: vec![condition.clone()], ..ContactFilter::default() };
    let negated = condition.negated().filter(|_| alone == *filter)?;
    Some(ContactFilter { conditions: vec![negated], ..ContactFilter::default() })
}

async fn counted(db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
    let IndexPlan { branches, exact } = filter.plan();
    // Several branches may name one contact twice: all contacts are checked instead.
    let terms = match branches.as_slice() {
        [terms] => store::contacts::rarest_first(db, tenant, terms).await?,
        _ => Vec::new(),
    };
    let by_index = exact && branches.len() == 1 && filter.created.is_none_or(whole_seconds);
    if by_index && let Some(count) = store::contacts::count_exact(db, tenant, &terms, window(filter)).await? {
        return Ok(count);
    }
    count_by_reading(db, tenant, filter, &terms).await
}

/// Reads every candidate once.
async fn count_by_reading(db: &Db, tenant: TenantId, filter: &ContactFilter, terms: &[Term]) -> Result<i64> {
    let (mut total, mut after) = (0, None);
    loop {
        let (mut read, mut last) = (0, after);
        let check = |contact: &ContactView<'_>| {
            read += 1;
            last = Some(contact.id);
            total += i64::from(filter.allows(contact));
            Ok(())
        };
        store::contacts::page_oldest_first(db, tenant, terms, window(filter), after, BATCH, check).await?;
        if read < BATCH {
            return Ok(total);
        }
        after = last;
        tokio::task::yield_now().await;
    }
}

/// Whether the range of creation, both ends included, is made of whole seconds: from `.000` to `.999`. Then ids, which
/// have the second only, tell which contacts are in it, and the index can count them without reading contacts.
fn whole_seconds((first, last): (domain::Timestamp, domain::Timestamp)) -> bool {
    first.micros() % 1_000_000 == 0 && last.to_millis().micros() % 1_000_000 == 999_000
}
