//! Contacts that join a static segment or leave it.
//!
//! A few move in the transaction that writes the segment. Many move before it, in transactions of a few milliseconds
//! each (`BatchSize`), so that the writes of other tenants do not wait for all of them. If the process dies in between,
//! contacts have the id of a segment that does not exist, which no list shows, or some have moved and some have not;
//! the same request completes it.

use std::sync::Arc;

use domain::people::contacts::{Contact, ContactFilter};
use domain::{ContactId, SegmentId, TenantId, Timestamp};
use store::{BatchSize, Db, Tx};

use crate::Result;

/// Most contacts that move in the transaction that writes the segment.
pub(super) const FEW: usize = 100;
/// Most contacts of another transaction.
const MOST_AT_ONCE: usize = 500;

#[derive(Debug)]
pub(super) enum Direction {
    Join,
    /// Joins if the contact still meets the conditions that chose it.
    JoinIf(ContactFilter),
    Leave,
}

#[derive(Debug)]
pub(super) struct MemberMove {
    pub tenant: TenantId,
    pub segment: SegmentId,
    pub direction: Direction,
    pub now: Timestamp,
}

impl MemberMove {
    /// Moves contacts in several transactions. Returns how many have moved.
    pub async fn run(self, db: &Db, ids: &[ContactId]) -> Result<usize> {
        let (this, mut size) = (Arc::new(self), BatchSize::new(db, MOST_AT_ONCE));
        let (mut moved, mut left) = (0, ids);
        while !left.is_empty() {
            let (some, later) = left.split_at(left.len().min(size.rows()));
            let input = (Arc::clone(&this), some.to_vec());
            let write = db.write_timed(input, |tx, (this, ids)| Box::pin(this.apply(tx, ids)));
            let (count, took) = write.await?;
            moved += count;
            left = later;
            size.record(took).await;
        }
        Ok(moved)
    }

    async fn apply(&self, tx: &mut Tx<'_>, ids: &[ContactId]) -> Result<usize> {
        let found = store::people::contacts::by_ids_for_update(tx, self.tenant, ids).await?;
        let changes: Vec<_> =
            found.into_iter().filter(|contact| self.moves(contact)).map(|it| self.change(it)).collect();
        store::people::contacts::update_many(tx, self.tenant, &changes).await?;
        Ok(changes.len())
    }

    fn moves(&self, contact: &Contact) -> bool {
        let is_member = contact.segments.contains(&self.segment);
        match &self.direction {
            Direction::Join => !is_member,
            Direction::JoinIf(filter) => !is_member && filter.allows(&contact.view(&contact.texts())),
            Direction::Leave => is_member,
        }
    }

    /// The contact before and after its move.
    pub fn change(&self, known: Contact) -> (Contact, Contact) {
        let mut moved = Contact { updated_at: self.now, ..known.clone() };
        match self.direction {
            Direction::Join | Direction::JoinIf(_) => moved.segments.push(self.segment),
            Direction::Leave => moved.segments.retain(|id| *id != self.segment),
        }
        (known, moved)
    }
}
