//! The contacts of an export, page by page.

use std::collections::HashSet;
use std::ops::Range;

use domain::people::contacts::{ContactFilter, ContactView, Term};
use domain::{ContactId, TenantId};
use store::Db;
use store::people::contacts::Window;

use crate::Result;
use crate::people::contacts::window::{FilterWindow, contacts_at_once};

/// Contacts scanned for one page: at first, at least and at most. The number adapts to the size of the contacts, and
/// to the number of conditions that each is checked against.
const FIRST_PAGE: i64 = 100;
const SMALLEST_PAGE: i64 = 8;
const LARGEST_PAGE: i64 = 1000;
/// Each branch of a page ends once its contacts and the text written for them have this many bytes.
const PAGE_BYTES: usize = 128 << 10;
/// Estimated bytes of a contact besides its attributes.
const CONTACT_BYTES: usize = 256;

pub(super) struct Pages<'p> {
    db: &'p Db,
    tenant: TenantId,
    filter: &'p ContactFilter,
    /// The terms to look up in the index, one list for each alternative of the filter.
    branches: Vec<Vec<Term>>,
    window: Window,
    /// The newest contacts, which the index may lack. They follow the others.
    unindexed: Option<Window>,
    after: Option<ContactId>,
    /// Contacts that the next page scans at most.
    limit: i64,
    largest: i64,
    ended: bool,
    contacts: u64,
}

/// The text of a page, and the range of each contact's line in it.
#[derive(Default)]
struct PageText {
    bytes: Vec<u8>,
    lines: Vec<(ContactId, Range<usize>)>,
    ids: HashSet<ContactId>,
}

impl<'p> Pages<'p> {
    /// `conditions` is how many of them writing a contact checks, besides those of the filter.
    pub async fn new(db: &'p Db, tenant: TenantId, filter: &'p ContactFilter, conditions: usize) -> Result<Self> {
        let mut branches = Vec::new();
        for terms in filter.plan().branches {
            branches.push(store::people::contacts::rarest_first(db, tenant, &terms).await?);
        }
        let FilterWindow { indexed: window, unindexed } = FilterWindow::of(db, tenant, filter).await?;
        let largest = contacts_at_once(filter, conditions, LARGEST_PAGE);
        let (after, limit, ended, contacts) = (None, FIRST_PAGE.min(largest), false, 0);
        Ok(Self { db, tenant, filter, branches, window, unindexed, after, limit, largest, ended, contacts })
    }

    /// Returns the text that `write` adds for the next page, possibly empty. None at the end.
    pub async fn next(
        &mut self,
        write: &mut (dyn FnMut(&ContactView<'_>, &mut Vec<u8>) + Send),
    ) -> Result<Option<Vec<u8>>> {
        if self.ended {
            return Ok(None);
        }
        let (window, filter, limit) = (self.window, self.filter, self.limit);
        let mut text = PageText::default();
        let mixed = self.branches.len() > 1;
        // A branch that did not read to its end, because of `limit` or `PAGE_BYTES`, bounds the page: later contacts of
        // the other branches belong to the next page.
        let mut complete_to = None;
        for terms in &self.branches {
            let (mut scanned, mut last, mut bytes, mut is_cut) = (0, None, 0, false);
            let mut look = |contact: &ContactView<'_>| {
                if bytes >= PAGE_BYTES {
                    is_cut = true;
                    return Ok(());
                }
                scanned += 1;
                bytes += CONTACT_BYTES + contact.custom_params.len();
                last = Some(contact.id);
                if filter.allows(contact) && (!mixed || text.ids.insert(contact.id)) {
                    let from = text.bytes.len();
                    write(contact, &mut text.bytes);
                    bytes += text.bytes.len() - from;
                    text.lines.push((contact.id, from..text.bytes.len()));
                }
                Ok(())
            };
            store::people::contacts::page_oldest_first(
                self.db,
                self.tenant,
                terms,
                window,
                self.after,
                limit,
                &mut look,
            )
            .await?;
            if is_cut || scanned == limit {
                complete_to = [complete_to, last].into_iter().flatten().min();
            }
            self.limit = if is_cut { scanned.max(SMALLEST_PAGE.min(self.largest)) } else { self.limit };
        }
        if self.limit == limit {
            self.limit = (limit * 2).min(self.largest);
        }
        self.ended = complete_to.is_none();
        self.after = complete_to;
        if mixed {
            text.sort_lines(complete_to);
        }
        if self.ended
            && let Some(newest) = self.unindexed.take()
        {
            (self.window, self.branches, self.ended) = (newest, vec![Vec::new()], false);
        }
        self.contacts += text.lines.len() as u64;
        Ok(Some(text.bytes))
    }

    /// The number of contacts exported so far.
    pub fn contacts(&self) -> u64 {
        self.contacts
    }
}

impl PageText {
    /// Merges the lines of the branches in the order of ids, up to `last`, to which all branches are complete.
    fn sort_lines(&mut self, last: Option<ContactId>) {
        self.lines.retain(|(id, _)| last.is_none_or(|last| *id <= last));
        self.lines.sort_unstable_by_key(|(id, _)| *id);
        self.bytes = self.lines.iter().flat_map(|(_, range)| self.bytes[range.clone()].iter().copied()).collect();
    }
}
