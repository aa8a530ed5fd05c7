//! The range of ids that contacts of a filter can have, and how many of them one read checks.

use domain::people::contacts::ContactFilter;
use domain::{Id, TenantId, Timestamp};
use store::Db;
use store::people::contacts::Window;

use crate::Result;

/// Most checks of a condition in one read: a few milliseconds, after which other tenants have their turn.
const CHECKS_AT_ONCE: usize = 20_000;
/// Contacts of one read at least, however many conditions each is checked against.
const LEAST_AT_ONCE: i64 = 8;

/// The range of ids of contacts created between two times.
pub(super) fn made_between((first, last): (Timestamp, Timestamp)) -> Window {
    Window { from: Some(Id::first_of_second(first)), before: Some(Id::first_of_second(last.plus_seconds(1))) }
}

/// The range of ids of a filter, in two parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilterWindow {
    /// The contacts that the index has.
    pub indexed: Window,
    /// Newer contacts, which the index may lack while an import runs: they are read without it.
    pub unindexed: Option<Window>,
}

impl FilterWindow {
    pub async fn of(db: &Db, tenant: TenantId, filter: &ContactFilter) -> Result<Self> {
        let indexed = filter.created.map(made_between).unwrap_or_default();
        let whole = Self { indexed, unindexed: None };
        let Some(first) = store::people::contacts::unindexed_from(db, tenant).await? else { return Ok(whole) };
        if indexed.before.is_some_and(|before| before <= first) {
            return Ok(whole);
        }
        Ok(Self {
            indexed: Window { before: Some(first), ..indexed },
            unindexed: Some(Window { from: indexed.from.max(Some(first)), ..indexed }),
        })
    }
}

/// How many contacts one read has, at most `most`, if each is checked against the filter and so many further
/// conditions.
pub(super) fn contacts_at_once(filter: &ContactFilter, further: usize, most: i64) -> i64 {
    let fit = CHECKS_AT_ONCE / (filter.conditions() + further).max(1);
    i64::try_from(fit).unwrap_or(most).clamp(LEAST_AT_ONCE.min(most), most)
}
