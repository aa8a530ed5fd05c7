//! The index entries of imported contacts, on SQLite.
//!
//! There, other writers wait while a transaction runs, so an import inserts a few contacts in each. A contact has about
//! fifty index entries in as many places of the index: written with a few contacts, each entry would write a page of
//! its own, fifteen times as much as written with thousands. So after every `INDEX_AFTER` contacts the import reads
//! them from the database and writes their entries, sorted like the index, in transactions of a few milliseconds too.
//! Until then, readers examine these contacts one by one (`store::people::contacts::unindexed_from`).
//!
//! Invariant: every transaction checks the lease of the import, so one process at a time writes its entries and removes
//! its mark. After a crash, the next holder begins again with all contacts from the mark on: the holder that resumes
//! the import, or the import worker when the lease has run out.

use std::ops::Bound;
use std::sync::Arc;

use domain::ContactId;
use domain::people::contacts::Term;
use store::BatchSize;

use super::apply::taken_over;
use super::lease::{ImportLease, LEASE_SECONDS};
use crate::people::People;
use crate::{Error, Result};

/// An import writes the entries of its contacts when so many have none. Filtered lists and totals read at least so many
/// contacts meanwhile.
pub(super) const INDEX_AFTER: i64 = 8000;
/// Most entries in memory: those of about eight thousand contacts, in about ten megabytes.
const MANY: usize = 400_000;
/// Most entries of one transaction.
const MOST_AT_ONCE: usize = 20_000;
/// Contacts of one read.
const READ_AT_ONCE: i64 = 500;

/// How many entries a transaction has.
pub(super) fn entries_at_once(people: &People) -> BatchSize {
    BatchSize::new(people.db(), MOST_AT_ONCE)
}

/// Writes the entries of all contacts that the import has inserted without them, and removes the mark, unless `stop`
/// returns true before. The caller holds the lease.
pub(super) async fn index_contacts(
    people: &People,
    lease: &ImportLease,
    size: &mut BatchSize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<()> {
    let (db, tenant) = (people.db(), lease.tenant);
    let Some(first) = store::people::contacts::unindexed_of(db, tenant, lease.import).await? else { return Ok(()) };
    let (mut from, mut entries) = (Bound::Included(first), Vec::new());
    loop {
        let contacts = store::people::contacts::next_by_id(db, tenant, from, READ_AT_ONCE).await?;
        let Some(last) = contacts.last() else { break };
        from = Bound::Excluded(last.id);
        entries.extend(store::people::contacts::index_of(&contacts));
        if entries.len() >= MANY {
            write_entries(people, lease, std::mem::take(&mut entries), size).await?;
        }
        if stop() {
            return Ok(());
        }
    }
    write_entries(people, lease, entries, size).await?;
    let clear = db.write(lease.clone(), |tx, lease| {
        Box::pin(store::people::contacts::clear_unindexed(tx, lease.tenant, lease.import, &lease.holder))
    });
    if clear.await? { Ok(()) } else { Err(taken_over()) }
}

async fn write_entries(
    people: &People,
    lease: &ImportLease,
    mut entries: Vec<(Term, ContactId)>,
    size: &mut BatchSize,
) -> Result<()> {
    entries.sort_unstable();
    let (entries, mut from) = (Arc::new(entries), 0);
    while from < entries.len() {
        let to = (from + size.rows()).min(entries.len());
        let input = (lease.clone(), Arc::clone(&entries), from..to, people.now().plus_seconds(LEASE_SECONDS));
        let write = people.db().write_timed(input, |tx, (lease, entries, range, until)| {
            Box::pin(async move {
                let ImportLease { tenant, import, holder } = lease;
                if !store::people::imports::renew(tx, *tenant, *import, holder, *until).await? {
                    return Err(taken_over());
                }
                let some = entries.get(range.clone()).unwrap_or_default();
                Ok::<_, Error>(store::people::contacts::add_terms(tx, *tenant, *import, some).await?)
            })
        });
        let ((), took) = write.await?;
        size.record(took).await;
        from = to;
    }
    Ok(())
}
