//! Pages of contacts, newest first. What an index can answer it answers; the rest is looked at, so many contacts a
//! page, and the list goes on by its cursor.

use domain::contacts::{ContactView, Filter, Term};
use domain::{ContactId, Id, TenantId, Timestamp};
use store::Db;
use store::contacts::Window;

use super::Contacts;
use crate::{ActsFor, Result, cursor};

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The number of the page, from zero.
    Page(i64),
    /// Behind this contact.
    After(ContactId),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageEnd {
    pub next_cursor: Option<String>,
    pub total: Option<i64>,
}

/// Contacts that one page looks at beyond those that it skips and shows.
const LOOKED_AT: i64 = 5000;
/// Contacts that are read in one go.
const STRETCH: i64 = 500;
/// What a long look through an index costs, in contacts looked at.
const IN_VAIN: i64 = 500;
const AREA: &[u8] = b"contacts";

impl Contacts<'_> {
    /// Hands each contact of the page to `show`. A page of a filter that no index answers may be short, or even empty,
    /// and still have a cursor: there is more to look at.
    pub async fn list(
        &self,
        caller: &impl ActsFor,
        filter: &Filter,
        start: Start,
        size: i64,
        with_total: bool,
        show: impl FnMut(&ContactView<'_>) + Send,
    ) -> Result<PageEnd> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let last = if filter.is_empty() {
            plain(db, tenant, start, size, show).await?
        } else {
            filtered(db, tenant, filter, start, size, show).await?
        };
        let next_cursor = last.map(|id| cursor::write(self.0, tenant, AREA, id.bytes()));
        let total = if with_total { Some(self.0.contact_totals().of(db, tenant, filter).await?) } else { None };
        Ok(PageEnd { next_cursor, total })
    }

    /// The contact that a cursor names, if it is one that we gave to this tenant.
    pub fn position(&self, caller: &impl ActsFor, text: &str) -> Option<ContactId> {
        cursor::read(self.0, caller.tenant(), AREA, text).map(Id::from_bytes)
    }

    /// How many contacts were made between two instants; all of them without.
    pub async fn count(&self, caller: &impl ActsFor, made: Option<(Timestamp, Timestamp)>) -> Result<i64> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        Ok(match made {
            None => store::contacts::count(db, tenant).await?.contacts,
            Some(between) => store::contacts::count_made(db, tenant, made_between(between), between).await?,
        })
    }
}

/// Answers the last contact of the page when more follow.
async fn plain(
    db: &Db,
    tenant: TenantId,
    start: Start,
    size: i64,
    mut show: impl FnMut(&ContactView<'_>) + Send,
) -> Result<Option<ContactId>> {
    let (before, offset) = match start {
        Start::Page(number) => (None, number.saturating_mul(size)),
        Start::After(id) => (Some(id), 0),
    };
    let (mut shown, mut last, mut more) = (0, None, false);
    let window = Window { before, from: None };
    store::contacts::page(db, tenant, window, size + 1, offset, |contact| {
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
    filter: &Filter,
    start: Start,
    size: i64,
    mut show: impl FnMut(&ContactView<'_>) + Send,
) -> Result<Option<ContactId>> {
    let (before, mut skip) = match start {
        Start::Page(number) => (None, number.saturating_mul(size)),
        Start::After(id) => (Some(id), 0),
    };
    let wanted = skip.saturating_add(size);
    let budget = wanted.saturating_add(LOOKED_AT);
    let (mut shown, mut last, mut more) = (0, None, false);
    let end = looked_through(db, tenant, filter, before, wanted, budget, |contact| {
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

/// The ids that contacts made between two instants can have.
fn made_between((first, last): (Timestamp, Timestamp)) -> Window {
    Window { from: Some(Id::first_of_second(first)), before: Some(Id::first_of_second(last.plus_seconds(1))) }
}

pub(super) fn window(filter: &Filter) -> Window {
    filter.created.map(made_between).unwrap_or_default()
}

/// Visits what the filter allows until `visit` says that it is enough, the list ends, or so many contacts were looked
/// at. Then it answers the last one looked at: behind it there may be more. `wanted` is how many the caller hopes for:
/// no more are read at first, since what an index names is nearly always wanted.
pub(super) async fn looked_through(
    db: &Db,
    tenant: TenantId,
    filter: &Filter,
    before: Option<ContactId>,
    wanted: i64,
    mut budget: i64,
    mut visit: impl FnMut(&ContactView<'_>) -> bool + Send,
) -> Result<Option<ContactId>> {
    let mut window = window(filter);
    window.before = [window.before, before].into_iter().flatten().min();
    let mut branches = Vec::new();
    for terms in filter.plan().branches {
        branches.push(store::contacts::rarest_first(db, tenant, &terms).await?);
    }
    let mut stretch = wanted.saturating_add(1).clamp(1, STRETCH);
    loop {
        let limit = stretch.min(budget);
        let (mut seen, mut enough) = (0, false);
        let look = |contact: &ContactView<'_>| {
            seen += 1;
            enough = enough || (filter.allows(contact) && !visit(contact));
            Ok(())
        };
        let reached = match branches.as_slice() {
            [terms] => store::contacts::candidates(db, tenant, terms, window, limit, look).await?,
            several => any_of(db, tenant, several, window, limit, look).await?,
        };
        if enough || reached.is_none() {
            return Ok(None);
        }
        // Fewer than asked for and still not the end: an index was looked through in vain, which costs too.
        budget -= if seen < limit { seen.max(IN_VAIN) } else { seen };
        if budget <= 0 {
            return Ok(reached);
        }
        window.before = reached;
        stretch = (stretch * 2).min(STRETCH);
        tokio::task::yield_now().await;
    }
}

/// Candidates of several branches, each contact once, newest first. Answers the contact behind which there may be more.
async fn any_of(
    db: &Db,
    tenant: TenantId,
    branches: &[Vec<Term>],
    window: Window,
    limit: i64,
    look: impl FnMut(&ContactView<'_>) -> store::Result<()> + Send,
) -> Result<Option<ContactId>> {
    let (mut ids, mut complete_to) = (Vec::new(), None);
    for terms in branches {
        let note = |contact: &ContactView<'_>| {
            ids.push(contact.id);
            Ok(())
        };
        let reached = store::contacts::candidates(db, tenant, terms, window, limit, note).await?;
        complete_to = complete_to.max(reached);
    }
    // What one branch has not come to yet, another may not show before it.
    ids.retain(|id| complete_to.is_none_or(|place| *id >= place));
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    store::contacts::show_each(db, tenant, &ids, look).await?;
    Ok(complete_to)
}
