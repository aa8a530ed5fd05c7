//! Contacts that have two terms, each of which many have: both lists are walked side by side.
//!
//! On SQLite a look-up for each contact of the one list in the other costs several times as much as reading the other
//! along with it. Only where the other is much longer are they looked up.

use domain::contacts::Term;
use domain::{ContactId, TenantId};

use super::list::Window;
use crate::{Db, Result, Statement, params, read};

static IDS: Statement = Statement::new(
    "contact_terms.ids",
    "SELECT t.id FROM contact_terms t WHERE t.tenant_id = $1 AND t.term = $2 AND t.id < $3 AND t.id >= $4
     ORDER BY t.id DESC LIMIT $5",
);
static AMONG: Statement = Statement::new(
    "contact_terms.among",
    "SELECT t.id FROM {sqlite json_each($3) listed CROSS JOIN contact_terms t
         ON t.tenant_id = $1 AND t.term = $2 AND t.id = unhex(listed.value)}
     {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN contact_terms t
         ON t.tenant_id = $1 AND t.term = $2 AND t.id = decode(listed.value, 'hex') ORDER BY t.id DESC}",
);

pub(super) static STATEMENTS: &[&Statement] = &[&IDS, &AMONG];

/// Ids of the first list that are read in one go, at first and at most.
const STRETCHES: (usize, usize) = (128, 2048);
/// Fewer than this are looked up one by one.
const FEW: usize = 32;
/// The other list is read along while it is at most so many times as long.
const DENSER: usize = 4;
/// After so many ids the caller hears how far it came, and can let others have their turn.
const LOOKED_AT: usize = 20_000;

/// What two lists have in common.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Newest first.
    pub ids: Vec<ContactId>,
    /// Behind this one there may be more; none at the end.
    pub reached: Option<ContactId>,
}

/// Contacts of the window that have both terms, at most `limit`. The first term is the rarer one.
pub(super) async fn common(
    db: &Db,
    tenant: TenantId,
    (rarer, other): (Term, Term),
    mut window: Window,
    limit: usize,
) -> Result<Common> {
    let (mut found, mut looked, mut stretch, mut dense) = (Common::default(), 0, STRETCHES.0, false);
    loop {
        let ours = ids(db, tenant, rarer, window, stretch).await?;
        let Some(last) = ours.last().copied() else { return Ok(found) };
        let mut both = None;
        if ours.len() >= FEW && !dense {
            let within = Window { from: Some(last), ..window };
            let theirs = ids(db, tenant, other, within, stretch * DENSER + 1).await?;
            looked += theirs.len();
            dense = theirs.len() > stretch * DENSER;
            both = (!dense).then(|| in_both(&ours, &theirs));
        }
        found.ids.extend(match both {
            Some(both) => both,
            None => among(db, tenant, other, &ours).await?,
        });
        looked += ours.len();
        if found.ids.len() >= limit {
            found.ids.truncate(limit);
            found.reached = found.ids.last().copied();
            return Ok(found);
        }
        if ours.len() < stretch {
            return Ok(found);
        }
        if looked >= LOOKED_AT {
            found.reached = Some(last);
            return Ok(found);
        }
        window.before = Some(last);
        stretch = (stretch * 2).min(STRETCHES.1);
    }
}

/// Both stand newest first.
fn in_both(ours: &[ContactId], theirs: &[ContactId]) -> Vec<ContactId> {
    let mut theirs = theirs.iter().peekable();
    let has = |id: &&ContactId| {
        while theirs.next_if(|other| *other > *id).is_some() {}
        theirs.peek() == Some(id)
    };
    ours.iter().filter(has).copied().collect()
}

async fn ids(db: &Db, tenant: TenantId, term: Term, window: Window, limit: usize) -> Result<Vec<ContactId>> {
    let (before, from) = window.bounds();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.rows(&IDS, &[tenant.into(), term.into(), before, from, limit.into()], read).await
}

async fn among(db: &Db, tenant: TenantId, term: Term, ids: &[ContactId]) -> Result<Vec<ContactId>> {
    let listed = serde_json::to_string(ids).unwrap_or_default();
    db.rows(&AMONG, params![tenant, term, &listed], read).await
}
