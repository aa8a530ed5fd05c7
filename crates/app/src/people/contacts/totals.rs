//! The number of contacts that a filter allows, cached until the tenant's contacts change.
//!
//! A total is exact. A filter that the index answers is counted by the database alone; for any other filter each
//! contact that the index names is read and checked, in batches. So is each of the newest contacts that the index may
//! lack while an import runs. Counting has threads of its own, at most `PLACES` at a time and one for a tenant, so that
//! it delays no request that counts nothing; its reads take turns at the compute threads, so that it delays no other
//! computation for long. Of several requests for one total at a time, one counts and the others wait for it. A request
//! waits at most `DEADLINE`; then it is refused (`Cause::StillCounting`), and counting continues, so that the same
//! request later finds its total cached.

use std::sync::Arc;
use std::time::Duration;

use domain::people::contacts::{ContactFilter, ContactView, IndexPlan, Term};
use domain::{Field, TenantId};
use store::Db;
use store::people::contacts::{Count, Window};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Semaphore, oneshot};
use tokio::time::Instant;

use super::window::{FilterWindow, contacts_at_once};
use crate::base::cache::Cache;
use crate::{Cause, Error, Fault, Result};

/// Most contacts read at once while counting.
const BATCH: i64 = 2000;
const REMEMBERED: usize = 1000;
/// Most counts that run at a time.
const PLACES: usize = 2;
/// Most time that a request waits for its total.
const DEADLINE: Duration = Duration::from_secs(15);

/// The total of a filter, and the number of changes of the tenant's contacts at which it was counted.
#[derive(Debug, Clone, Copy)]
struct KnownTotal {
    changes: i64,
    total: i64,
}

/// The total of one filter, and the lock for counting it.
#[derive(Debug, Default)]
struct TotalSlot {
    /// Locked while a request counts.
    turn: Mutex<()>,
    /// The result of the last count.
    known: parking_lot::Mutex<Option<KnownTotal>>,
}

type Slot = Arc<TotalSlot>;

#[derive(Debug)]
pub struct Totals {
    known: Cache<(TenantId, ContactFilter), Slot>,
    /// A semaphore with one place for each tenant, so that a tenant has one count at a time.
    of_tenants: Cache<TenantId, Arc<Semaphore>>,
    places: Arc<Semaphore>,
}

impl Default for Totals {
    fn default() -> Self {
        let (known, of_tenants) = (Cache::new(REMEMBERED), Cache::new(REMEMBERED));
        Self { known, of_tenants, places: Arc::new(Semaphore::new(PLACES)) }
    }
}

impl Totals {
    /// The exact total; a request that would wait for longer than `DEADLINE` is refused.
    pub(in crate::people) async fn count(&self, db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
        self.count_within(DEADLINE, db, tenant, filter).await
    }

    /// The total, or that of the last count if counting takes until after `until`. None if there was no count yet.
    pub(in crate::people) async fn count_until(
        &self,
        db: &Db,
        tenant: TenantId,
        filter: &ContactFilter,
        until: Instant,
    ) -> Result<Option<i64>> {
        let left = until.saturating_duration_since(Instant::now());
        match self.count_within(left, db, tenant, filter).await {
            Err(Error::Refused { cause: Cause::StillCounting, .. }) => {
                let slot = self.known.get(&(tenant, filter.clone()));
                Ok(slot.and_then(|slot| slot.known.lock().map(|known| known.total)))
            }
            total => total.map(Some),
        }
    }

    async fn count_within(&self, deadline: Duration, db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
        let Count { contacts, changes } = store::people::contacts::count(db, tenant).await?;
        if filter.is_empty() {
            return Ok(contacts);
        }
        let slot = self.known.get_with(&(tenant, filter.clone()), Slot::default);
        if let Some(total) = slot.remembered(changes) {
            return Ok(total);
        }
        let of_tenant = self.of_tenants.get_with(&tenant, || Arc::new(Semaphore::new(1)));
        let places = [of_tenant, self.places.clone()];
        let (db, filter) = (db.clone(), filter.clone());
        let count = store::in_same_turns(async move { count_matching(&db, tenant, &filter, contacts).await });
        let count = move || Handle::current().block_on(count);
        counted_within(deadline, slot, places, changes, count).await
    }
}

impl TotalSlot {
    /// The total of the last count, if it includes all changes that the request saw.
    fn remembered(&self, changes: i64) -> Option<i64> {
        self.known.lock().filter(|known| known.changes >= changes).map(|known| known.total)
    }
}

/// Runs `count` on a thread for blocking work, unless another request's count answers this one too.
async fn counted_within(
    deadline: Duration,
    slot: Slot,
    places: [Arc<Semaphore>; 2],
    changes: i64,
    count: impl FnOnce() -> Result<i64> + Send + 'static,
) -> Result<i64> {
    let (answer, answered) = oneshot::channel();
    // A task of its own: the count outlives a request that is canceled or refused.
    tokio::spawn(async move {
        let _turn = slot.turn.lock().await;
        if let Some(total) = slot.remembered(changes) {
            let _ = answer.send(Ok(total));
            return;
        }
        let [of_tenant, all] = &places;
        let (Ok(_place), Ok(_thread)) = (of_tenant.acquire().await, all.acquire().await) else { return };
        // A request that gave up before its count began is not counted for.
        if answer.is_closed() {
            return;
        }
        let total = tokio::task::spawn_blocking(count).await.unwrap_or(Err(Error::Fault(Fault::Counting)));
        if let Ok(total) = total {
            *slot.known.lock() = Some(KnownTotal { changes, total });
        }
        let _ = answer.send(total);
    });
    match tokio::time::timeout(deadline, answered).await {
        Ok(total) => total.unwrap_or(Err(Error::Fault(Fault::Counting))),
        Err(_) => Err(Error::refused(Cause::StillCounting, Field::Total, "the contacts are still being counted")),
    }
}

async fn count_matching(db: &Db, tenant: TenantId, filter: &ContactFilter, contacts: i64) -> Result<i64> {
    match positive(filter) {
        Some(positive) => Ok((contacts - counted(db, tenant, &positive).await?).max(0)),
        None => counted(db, tenant, filter).await,
    }
}

/// For a filter that is a single negated condition: the filter that allows exactly the other contacts, which the index
/// can answer. None for other filters.
fn positive(filter: &ContactFilter) -> Option<ContactFilter> {
    let [condition] = filter.conditions.as_slice() else { return None };
    let alone = ContactFilter { conditions: vec![condition.clone()], ..ContactFilter::default() };
    let negated = condition.negated().filter(|_| alone == *filter)?;
    Some(ContactFilter { conditions: vec![negated], ..ContactFilter::default() })
}

async fn counted(db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<i64> {
    let FilterWindow { indexed, unindexed } = FilterWindow::of(db, tenant, filter).await?;
    let newest = match unindexed {
        Some(window) => count_by_reading(db, tenant, filter, window, &[]).await?,
        None => 0,
    };
    let IndexPlan { branches, exact } = filter.plan();
    // Several branches may name one contact twice: then all contacts are read and checked instead.
    let terms = match branches.as_slice() {
        [terms] => store::people::contacts::rarest_first(db, tenant, terms).await?,
        _ => Vec::new(),
    };
    let by_index = exact && branches.len() == 1 && filter.created.is_none_or(whole_seconds);
    if by_index && let Some(count) = store::people::contacts::count_exact(db, tenant, &terms, indexed).await? {
        return Ok(newest + count);
    }
    Ok(newest + count_by_reading(db, tenant, filter, indexed, &terms).await?)
}

/// Counts by reading each contact of a window that the index names, or each contact if there are no terms, and checking
/// it against the filter.
async fn count_by_reading(
    db: &Db,
    tenant: TenantId,
    filter: &ContactFilter,
    window: Window,
    terms: &[Term],
) -> Result<i64> {
    let (mut total, mut after) = (0, None);
    let batch = contacts_at_once(filter, 0, BATCH);
    loop {
        let (mut read, mut last) = (0, after);
        let mut check = |contact: &ContactView<'_>| {
            read += 1;
            last = Some(contact.id);
            total += i64::from(filter.allows(contact));
            Ok(())
        };
        store::people::contacts::page_oldest_first(db, tenant, terms, window, after, batch, &mut check).await?;
        if read < batch {
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

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    fn places() -> [Arc<Semaphore>; 2] {
        [Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(1))]
    }

    /// Must not run: the total is remembered.
    fn never() -> Result<i64> {
        Err(Error::KeyReused)
    }

    #[tokio::test]
    async fn a_request_that_gave_up_leaves_its_total_to_the_next() {
        let (slot, places) = (Slot::default(), places());
        let (begun, has_begun) = oneshot::channel();
        let (go_on, paused) = mpsc::channel();
        let count = move || {
            let _ = begun.send(());
            let _ = paused.recv();
            Ok(41)
        };
        let waiting = tokio::spawn(counted_within(LONG, slot.clone(), places.clone(), 7, count));
        has_begun.await.unwrap();
        let refused = counted_within(Duration::ZERO, slot.clone(), places.clone(), 7, never).await;
        assert!(matches!(refused, Err(Error::Refused { cause: Cause::StillCounting, .. })), "{refused:?}");
        waiting.abort();
        go_on.send(()).unwrap();
        assert_eq!(counted_within(LONG, slot.clone(), places.clone(), 7, never).await.unwrap(), 41);
        assert_eq!(counted_within(LONG, slot, places, 8, || Ok(42)).await.unwrap(), 42, "there was a change since");
    }

    #[tokio::test]
    async fn a_count_that_fails_is_not_remembered() {
        let (slot, places) = (Slot::default(), places());
        let failed =
            counted_within(LONG, slot.clone(), places.clone(), 1, || resume_unwind(Box::new("a defect"))).await;
        assert!(matches!(failed, Err(Error::Fault(Fault::Counting))), "{failed:?}");
        let failed = counted_within(LONG, slot.clone(), places.clone(), 1, || Err(Error::KeyInUse)).await;
        assert!(matches!(failed, Err(Error::KeyInUse)), "{failed:?}");
        assert_eq!(counted_within(LONG, slot, places, 1, || Ok(5)).await.unwrap(), 5);
    }
}
