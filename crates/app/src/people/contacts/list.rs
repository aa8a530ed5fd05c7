//! Pages of contacts, newest first. The index answers what it can; for conditions that it cannot answer a page scans a
//! bounded number of contacts (`SCAN_BUDGET`), and its cursor continues the scan. The few thousand newest contacts of a
//! running import, which the index may lack, are scanned as well.

use domain::people::contacts::{ContactFilter, ContactView, Term};
use domain::{ContactId, Id, TenantId, Timestamp};
use store::Db;
use store::people::contacts::Window;

use super::Contacts;
use super::window::{FilterWindow, contacts_at_once, made_between};
use crate::base::cursor;
use crate::{ActsFor, Result};

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A page number, from zero.
    Page(i64),
    /// After this contact.
    After(ContactId),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageEnd {
    pub next_cursor: Option<String>,
    pub total: Option<i64>,
}

/// Most contacts that one page scans in addition to those that it skips and shows.
const SCAN_BUDGET: i64 = 5000;
/// Most contacts read at once.
const SCAN_BATCH: i64 = 500;
/// A search of the index that finds nothing counts as this many scanned contacts.
const FRUITLESS_SCAN_COST: i64 = 500;
const AREA: &[u8] = b"contacts";

#[boxed::futures]
impl Contacts<'_> {
    /// Passes each contact of the page to `show`. With a filter that the index does not answer alone, a page may be
    /// short or empty and still have a cursor, since the scan is not finished.
    pub async fn list(
        &self,
        caller: &dyn ActsFor,
        filter: &ContactFilter,
        start: Start,
        size: i64,
        with_total: bool,
        show: &mut (dyn FnMut(&ContactView<'_>) + Send),
    ) -> Result<PageEnd> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let last = if filter.is_empty() {
            unfiltered(db, tenant, start, size, show).await?
        } else {
            filtered(db, tenant, filter, start, size, show).await?
        };
        let next_cursor = last.map(|id| cursor::write(self.0, tenant, AREA, id.bytes()));
        let total = if with_total { Some(self.0.contact_totals().count(db, tenant, filter).await?) } else { None };
        Ok(PageEnd { next_cursor, total })
    }

    /// The contact that a cursor names; None if the cursor was not issued to this tenant.
    pub fn position(&self, caller: &dyn ActsFor, text: &str) -> Option<ContactId> {
        cursor::read(self.0, caller.tenant(), AREA, text).map(Id::from_bytes)
    }

    /// The number of contacts that the filter allows: of those created between the two times of `made`, or of all
    /// contacts.
    pub async fn count(
        &self,
        caller: &dyn ActsFor,
        made: Option<(Timestamp, Timestamp)>,
        filter: ContactFilter,
    ) -> Result<i64> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        if !filter.is_empty() {
            let filter = ContactFilter { created: made, ..filter };
            return self.0.contact_totals().count(db, tenant, &filter).await;
        }
        Ok(match made {
            None => store::people::contacts::count(db, tenant).await?.contacts,
            Some(between) => store::people::contacts::count_created(db, tenant, made_between(between), between).await?,
        })
    }
}

/// Shows a page of all contacts. Returns the last contact shown if more follow.
async fn unfiltered(
    db: &Db,
    tenant: TenantId,
    start: Start,
    size: i64,
    show: &mut (dyn FnMut(&ContactView<'_>) + Send),
) -> Result<Option<ContactId>> {
    let (before, offset) = match start {
        Start::Page(number) => (None, number.saturating_mul(size)),
        Start::After(id) => (Some(id), 0),
    };
    let (mut shown, mut last, mut more) = (0, None, false);
    let window = Window { before, from: None };
    store::people::contacts::page(db, tenant, window, size + 1, offset, &mut |contact| {
        more = shown == size;
        if !more {
            show(contact);
            shown += 1;
            last = Some(contact.id);
        }
        Ok(())
    })
    .await?;
    Ok(last.filter(|_| more))
}

async fn filtered(
    db: &Db,
    tenant: TenantId,
    filter: &ContactFilter,
    start: Start,
    size: i64,
    show: &mut (dyn FnMut(&ContactView<'_>) + Send),
) -> Result<Option<ContactId>> {
    let (before, mut skip) = match start {
        Start::Page(number) => (None, number.saturating_mul(size)),
        Start::After(id) => (Some(id), 0),
    };
    let wanted = skip.saturating_add(size);
    let budget = wanted.saturating_add(SCAN_BUDGET);
    let (mut shown, mut last, mut more) = (0, None, false);
    let end = scan_filtered(db, tenant, filter, before, wanted, budget, &mut |contact| {
        if skip > 0 {
            skip -= 1;
            return true;
        }
        more = shown == size;
        if !more {
            show(contact);
            shown += 1;
            last = Some(contact.id);
        }
        !more
    })
    .await?;
    Ok(if more { last } else { end })
}

/// Visits the contacts that the filter allows until `visit` returns false, the list ends, or `budget` contacts were
/// scanned. In the last case returns the last scanned contact, after which there may be more; otherwise none. `wanted`
/// bounds the first read: contacts that the index names nearly always match, so more are seldom needed. Contacts that
/// the index may lack do not count as scanned: an import bounds their number.
pub(in crate::people) async fn scan_filtered(
    db: &Db,
    tenant: TenantId,
    filter: &ContactFilter,
    before: Option<ContactId>,
    wanted: i64,
    mut budget: i64,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> bool + Send),
) -> Result<Option<ContactId>> {
    let earlier = |of: Option<ContactId>| [of, before].into_iter().flatten().min();
    let FilterWindow { indexed: mut window, unindexed } = FilterWindow::of(db, tenant, filter).await?;
    if let Some(newest) = unindexed
        && !scan_unindexed(db, tenant, filter, Window { before: earlier(newest.before), ..newest }, visit).await?
    {
        return Ok(None);
    }
    window.before = earlier(window.before);
    let mut branches = Vec::new();
    for terms in filter.plan().branches {
        branches.push(store::people::contacts::rarest_first(db, tenant, &terms).await?);
    }
    let most = contacts_at_once(filter, 0, SCAN_BATCH);
    let mut batch = wanted.saturating_add(1).clamp(1, most);
    loop {
        let limit = batch.min(budget);
        let (mut scanned, mut enough) = (0, false);
        let mut look = |contact: &ContactView<'_>| {
            scanned += 1;
            enough = enough || (filter.allows(contact) && !visit(contact));
            Ok(())
        };
        let reached = match branches.as_slice() {
            [terms] => store::people::contacts::candidates(db, tenant, terms, window, limit, &mut look).await?,
            several => any_of(db, tenant, several, window, limit, &mut look).await?,
        };
        if enough || reached.is_none() {
            return Ok(None);
        }
        // Fewer contacts than the limit, and not the end: the index was searched without a match, which counts too.
        budget -= if scanned < limit { scanned.max(FRUITLESS_SCAN_COST) } else { scanned };
        if budget <= 0 {
            return Ok(reached);
        }
        window.before = reached;
        batch = (batch * 2).min(most);
        tokio::task::yield_now().await;
    }
}

/// Visits the contacts of a window that the filter allows, without the index. False if `visit` returned false.
async fn scan_unindexed(
    db: &Db,
    tenant: TenantId,
    filter: &ContactFilter,
    mut window: Window,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> bool + Send),
) -> Result<bool> {
    let batch = contacts_at_once(filter, 0, SCAN_BATCH);
    loop {
        let (mut scanned, mut last, mut enough) = (0, None, false);
        let mut look = |contact: &ContactView<'_>| {
            scanned += 1;
            last = Some(contact.id);
            enough = enough || (filter.allows(contact) && !visit(contact));
            Ok(())
        };
        store::people::contacts::page(db, tenant, window, batch, 0, &mut look).await?;
        if enough || scanned < batch {
            return Ok(!enough);
        }
        window.before = last;
        tokio::task::yield_now().await;
    }
}

/// Visits the contacts that any of the branches names, each once, newest first. Returns the contact after which there
/// may be more.
async fn any_of(
    db: &Db,
    tenant: TenantId,
    branches: &[Vec<Term>],
    window: Window,
    limit: i64,
    look: &mut (dyn FnMut(&ContactView<'_>) -> store::Result<()> + Send),
) -> Result<Option<ContactId>> {
    let (mut ids, mut complete_to) = (Vec::new(), None);
    for terms in branches {
        let mut collect = |contact: &ContactView<'_>| {
            ids.push(contact.id);
            Ok(())
        };
        let reached = store::people::contacts::candidates(db, tenant, terms, window, limit, &mut collect).await?;
        complete_to = complete_to.max(reached);
    }
    // A contact beyond the point that every branch has reached waits for the next read; otherwise the order would be
    // lost.
    ids.retain(|id| complete_to.is_none_or(|last| *id >= last));
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    store::people::contacts::show_each(db, tenant, &ids, look).await?;
    Ok(complete_to)
}
