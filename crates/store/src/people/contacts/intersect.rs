//! Contacts that have two terms, by a merge of both lists, for SQLite.
//!
//! On SQLite a look-up of each contact of one list in the other costs several times as much as reading both lists side
//! by side. Single look-ups are used only if the second list is much longer, or if there are few contacts to look up.

use domain::people::contacts::Term;
use domain::{ContactId, TenantId};

use super::window::Window;
use crate::{Db, Result, params, read};

statements! {
    IDS = "SELECT t.id FROM contact_terms t WHERE t.tenant_id = $1 AND t.term = $2 AND t.id < $3 AND t.id >= $4
        ORDER BY t.id DESC LIMIT $5";
    AMONG = "SELECT t.id FROM {sqlite json_each($3) listed CROSS JOIN contact_terms t
            ON t.tenant_id = $1 AND t.term = $2 AND t.id = unhex(listed.value)}
        {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN contact_terms t
            ON t.tenant_id = $1 AND t.term = $2 AND t.id = decode(listed.value, 'hex') ORDER BY t.id DESC}";
}

/// Size of the first batch of ids that is read from the rarer term's list, and of the largest: each batch is twice the
/// one before.
const BATCHES: (usize, usize) = (128, 2048);
/// A batch of fewer ids is looked up id by id in the other list, and not merged with it.
const MIN_TO_MERGE: usize = 32;
/// Both lists are read side by side while the second has at most this many times as many ids as the first.
const MAX_DENSITY: usize = 4;
/// Ids read before the function returns with `reached`, so that other tasks get their turn.
const READ_BUDGET: usize = 20_000;

/// The contacts in both lists.
#[derive(Debug, Default)]
pub(super) struct Intersection {
    /// Newest first.
    pub ids: Vec<ContactId>,
    /// After this contact there may be more; None at the end.
    pub reached: Option<ContactId>,
}

/// Contacts of the window that have both terms, at most `limit`. The first term is the rarer one.
pub(super) async fn intersect(
    db: &Db,
    tenant: TenantId,
    (rarer, other): (Term, Term),
    mut window: Window,
    limit: usize,
) -> Result<Intersection> {
    let (mut found, mut read_ids, mut batch, mut dense) = (Intersection::default(), 0, BATCHES.0, false);
    loop {
        let ours = ids(db, tenant, rarer, window, batch).await?;
        let Some(last) = ours.last().copied() else { return Ok(found) };
        let mut both = None;
        if ours.len() >= MIN_TO_MERGE && !dense {
            let within = Window { from: Some(last), ..window };
            let theirs = ids(db, tenant, other, within, batch * MAX_DENSITY + 1).await?;
            read_ids += theirs.len();
            dense = theirs.len() > batch * MAX_DENSITY;
            both = (!dense).then(|| ids_in_both(&ours, &theirs));
        }
        found.ids.extend(match both {
            Some(both) => both,
            None => among(db, tenant, other, &ours).await?,
        });
        read_ids += ours.len();
        if found.ids.len() >= limit {
            found.ids.truncate(limit);
            found.reached = found.ids.last().copied();
            return Ok(found);
        }
        if ours.len() < batch {
            return Ok(found);
        }
        if read_ids >= READ_BUDGET {
            found.reached = Some(last);
            return Ok(found);
        }
        window.before = Some(last);
        batch = (batch * 2).min(BATCHES.1);
    }
}

/// Both lists are sorted newest first.
fn ids_in_both(ours: &[ContactId], theirs: &[ContactId]) -> Vec<ContactId> {
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
    let listed = domain::to_json(ids);
    db.rows(&AMONG, params![tenant, term, &listed], read).await
}
