//! The contacts of an export, page by page.

use std::collections::HashSet;
use std::ops::Range;

use domain::contacts::{ContactView, Filter, Term};
use domain::{ContactId, TenantId};
use store::Db;

use crate::Result;
use crate::contacts::list::window;

/// Contacts that are looked at for one page.
const PAGE: i64 = 1000;

pub(super) struct Pages<'p> {
    db: &'p Db,
    tenant: TenantId,
    filter: &'p Filter,
    /// What an index answers, one list for each alternative.
    branches: Vec<Vec<Term>>,
    after: Option<ContactId>,
    ended: bool,
    contacts: u64,
}

/// What is written of a page, in the order of its contacts.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    lines: Vec<(ContactId, Range<usize>)>,
    ids: HashSet<ContactId>,
}

impl<'p> Pages<'p> {
    pub async fn new(db: &'p Db, tenant: TenantId, filter: &'p Filter) -> Result<Self> {
        let mut branches = Vec::new();
        for terms in filter.plan().branches {
            branches.push(store::contacts::rarest_first(db, tenant, &terms).await?);
        }
        Ok(Self { db, tenant, filter, branches, after: None, ended: false, contacts: 0 })
    }

    /// The next page as `put` writes it, which may be nothing; none at the end.
    pub async fn next(
        &mut self,
        mut put: impl FnMut(&ContactView<'_>, &mut Vec<u8>) + Send,
    ) -> Result<Option<Vec<u8>>> {
        if self.ended {
            return Ok(None);
        }
        let (window, filter) = (window(self.filter), self.filter);
        let mut written = Written::default();
        let mixed = self.branches.len() > 1;
        // Where a branch was cut off, those of the others may not go beyond.
        let mut complete_to = None;
        for terms in &self.branches {
            let (mut seen, mut last) = (0, None);
            let look = |contact: &ContactView<'_>| {
                seen += 1;
                last = Some(contact.id);
                if filter.allows(contact) && (!mixed || written.ids.insert(contact.id)) {
                    let from = written.bytes.len();
                    put(contact, &mut written.bytes);
                    written.lines.push((contact.id, from..written.bytes.len()));
                }
                Ok(())
            };
            store::contacts::onward(self.db, self.tenant, terms, window, self.after, PAGE, look).await?;
            if seen == PAGE {
                complete_to = [complete_to, last].into_iter().flatten().min();
            }
        }
        self.ended = complete_to.is_none();
        self.after = complete_to;
        if mixed {
            written.put_in_order(complete_to);
        }
        self.contacts += written.lines.len() as u64;
        Ok(Some(written.bytes))
    }

    /// So far.
    pub fn contacts(&self) -> u64 {
        self.contacts
    }
}

impl Written {
    /// Of several branches: up to where all of them are complete.
    fn put_in_order(&mut self, last: Option<ContactId>) {
        self.lines.retain(|(id, _)| last.is_none_or(|last| *id <= last));
        self.lines.sort_unstable_by_key(|(id, _)| *id);
        self.bytes = self.lines.iter().flat_map(|(_, place)| self.bytes[place.clone()].iter().copied()).collect();
    }
}
