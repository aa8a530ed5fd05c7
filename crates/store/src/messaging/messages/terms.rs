//! The inverted index of message texts: a table of terms with the time of the message, so that the newest come first.

use std::sync::LazyLock;

use domain::people::contacts::Term;
use domain::{MessageId, TenantId, Timestamp};

use crate::{Db, Param, Result, Statement, Tx, params, read};

statements! {
    with CANDIDATES.iter();

    ADD = "INSERT INTO message_terms (tenant_id, term, at, message_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    /// The time of the message that comes after the `$3` newest ones with a term. The rarer the term, the older it is.
    DEPTH = "SELECT t.at FROM message_terms t WHERE t.tenant_id = $1 AND t.term = $2
        ORDER BY t.at DESC, t.message_id DESC LIMIT 1 OFFSET $3";
    REMOVE =
        "DELETE FROM message_terms WHERE tenant_id = $1 AND term = $2 AND at >= $3 AND at <= $4 AND message_id = $5";
}

/// Most terms that a statement compares. The caller checks each text, so more are not needed.
pub const MAX_COMPARED_TERMS: usize = 4;
/// Terms are ranked by the message that comes after this many newer ones: the older it is, the rarer the term.
const RANK_DEPTH: i64 = 200;

/// Statements that find candidates for one to `MAX_COMPARED_TERMS` terms.
static CANDIDATES: LazyLock<Vec<Statement>> = LazyLock::new(|| (1..=MAX_COMPARED_TERMS).map(candidates_text).collect());

/// A statement: `$1` is the tenant, `$2` and `$3` are the position, `$4` is the limit, then come the terms, the rarest
/// first. The limit holds for the rows that are examined, so a statement costs the same whatever is found.
fn candidates_text(terms: usize) -> Statement {
    let others = (1..terms).fold(String::new(), |text, n| {
        text + &format!(
            " AND EXISTS (SELECT 1 FROM message_terms o{n} WHERE o{n}.tenant_id = $1 AND o{n}.term = ${}
             AND o{n}.at = p.at AND o{n}.message_id = p.message_id)",
            n + 5
        )
    });
    let text = format!(
        "SELECT p.at, p.message_id, (p.at IS NOT NULL{others}) FROM (
             SELECT t.at, t.message_id FROM message_terms t
             WHERE t.tenant_id = $1 AND t.term = $5 AND (t.at, t.message_id) < ($2, $3)
             ORDER BY t.at DESC, t.message_id DESC LIMIT $4) p"
    );
    composed_statement!(CANDIDATES, text)
}

pub async fn add(tx: &mut Tx<'_>, tenant: TenantId, rows: &[(Term, Timestamp, MessageId)]) -> Result<()> {
    let bound = rows.iter().map(|(term, at, id)| [Param::from(tenant), (*term).into(), (*at).into(), (*id).into()]);
    tx.execute_many(&ADD, bound).await.map(drop)
}

/// How many seconds before or after a message was created or sent its terms may be dated: they have the time of the
/// event.
const TOLERANCE: i64 = 3_600;

/// Removes the terms of a message that was created and sent at these times.
pub async fn remove(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: MessageId,
    created: Timestamp,
    sent: Timestamp,
    terms: &[Term],
) -> Result<()> {
    let (from, to) = (created.plus_seconds(-TOLERANCE), sent.plus_seconds(TOLERANCE));
    let bound = terms.iter().map(|term| [Param::from(tenant), (*term).into(), from.into(), to.into(), id.into()]);
    tx.execute_set(&REMOVE, bound).await.map(drop)
}

/// The terms with the rarest first, at most `MAX_COMPARED_TERMS`.
pub async fn rarest_first(db: &Db, tenant: TenantId, terms: &[Term]) -> Result<Vec<Term>> {
    let mut ranked = Vec::with_capacity(terms.len());
    for term in terms {
        let depth: Option<Timestamp> = db.row(&DEPTH, params![tenant, *term, RANK_DEPTH], read).await?;
        ranked.push((depth, *term));
    }
    // None means at most `RANK_DEPTH` messages, and sorts first.
    ranked.sort_unstable();
    Ok(ranked.into_iter().map(|(_, term)| term).take(MAX_COMPARED_TERMS).collect())
}

/// A message that has the first term, and whether it has the others too.
pub type Candidate = (Timestamp, MessageId, bool);

/// The next messages with the first term before a position, newest first, each with whether it has the other terms.
pub async fn candidates(
    db: &Db,
    tenant: TenantId,
    terms: &[Term],
    before: Option<(Timestamp, MessageId)>,
    limit: i64,
) -> Result<Vec<Candidate>> {
    // Greater than every id.
    const ABOVE: &[u8] = &[0xff; 13];
    let Some(statement) = CANDIDATES.get(terms.len().min(MAX_COMPARED_TERMS).wrapping_sub(1)) else {
        return Ok(Vec::new());
    };
    let (at, id) = before.map_or((Param::Int(i64::MAX), Param::Bytes(ABOVE)), |(at, id)| (at.into(), id.into()));
    let mut params = vec![tenant.into(), at, id, limit.into()];
    params.extend(terms.iter().take(MAX_COMPARED_TERMS).map(|term| Param::from(*term)));
    let mut found: Vec<Candidate> = db.rows(statement, &params, read).await?;
    found.sort_unstable_by_key(|(at, id, _)| std::cmp::Reverse((*at, *id)));
    Ok(found)
}
