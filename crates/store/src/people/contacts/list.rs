//! The list of contacts, newest first. Ids begin with the second of their creation, so the primary key gives the order,
//! to the second.

use std::sync::LazyLock;

use domain::people::contacts::{ContactView, Term};
use domain::{ContactId, TenantId};

use super::intersect::intersect;
use super::rows::show_each;
use super::window::{MAX_COMPARED_TERMS, Window, having};
use crate::base::columns::{aliased, select};
use crate::{Db, Engine, Param, Result, Row, Statement, params, read};

/// Reads that skip or return more rows than this run as long reads.
const MAX_SHORT_OFFSET: i64 = 1000;
/// Terms are compared by their 32nd newest contact: the older it is, the rarer the term is taken to be.
const RANK_DEPTH: i64 = 31;
/// Most terms to rank; of a long search text a sample is enough.
const MAX_RANKED_TERMS: usize = 8;

statements! {
    with WITH_TERMS.iter(), COUNT_WITH_TERMS.iter();

    PAGE = select!(
        ContactView as "c",
        " FROM contacts c WHERE c.tenant_id = $1 AND c.id < $2 AND c.id >= $3 ORDER BY c.id DESC LIMIT $4 OFFSET $5"
    );
    RAREST = "SELECT CAST(listed.value AS BIGINT), (SELECT t.id FROM contact_terms t
            WHERE t.tenant_id = $1 AND t.term = CAST(listed.value AS BIGINT) ORDER BY t.id DESC LIMIT 1 OFFSET $3)
        FROM {sqlite json_each($2) listed}
            {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}";
    COUNT_CREATED = "SELECT COUNT(*) FROM contacts c WHERE c.tenant_id = $1 AND c.id < $2 AND c.id >= $3
        AND c.created_at >= $4 AND c.created_at <= $5";
}

/// Statements that read and count contacts with one to `MAX_COMPARED_TERMS` terms.
static WITH_TERMS: LazyLock<Vec<Statement>> = LazyLock::new(|| (1..=MAX_COMPARED_TERMS).map(with_terms).collect());
static COUNT_WITH_TERMS: LazyLock<Vec<Statement>> =
    LazyLock::new(|| (1..=MAX_COMPARED_TERMS).map(count_with_terms).collect());

fn with_terms(terms: usize) -> Statement {
    let text = format!(
        "SELECT {} FROM contact_terms t {{sqlite CROSS}} JOIN contacts c ON c.tenant_id = $1 AND c.id = t.id
         WHERE {} ORDER BY t.id DESC LIMIT $4",
        aliased!(ContactView as "c"),
        having(terms)
    );
    composed_statement!(WITH_TERMS, text)
}

fn count_with_terms(terms: usize) -> Statement {
    let text = format!(
        "SELECT COUNT(*) FROM (SELECT t.id FROM contact_terms t WHERE {} ORDER BY t.id DESC LIMIT $4) p",
        having(terms)
    );
    composed_statement!(COUNT_WITH_TERMS, text)
}

/// Visits contacts of the list without a filter.
pub async fn page(
    db: &Db,
    tenant: TenantId,
    window: Window,
    limit: i64,
    offset: i64,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<()> {
    let (before, from) = window.bounds();
    let params = [tenant.into(), before, from, limit.into(), offset.into()];
    let show = |row: &Row<'_>| visit(&row.columns().take()?);
    if offset > MAX_SHORT_OFFSET || limit > MAX_SHORT_OFFSET {
        return db.long_each(&PAGE, &params, show).await;
    }
    db.each(&PAGE, &params, show).await
}

/// Visits contacts that may have all these terms, given rarest first; all contacts if there are no terms. Returns the
/// contact after which there may be more, or None at the end of the list.
pub async fn candidates(
    db: &Db,
    tenant: TenantId,
    terms: &[Term],
    window: Window,
    limit: i64,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<Option<ContactId>> {
    // On PostgreSQL a statement costs more than the rows that it reads, so one statement compares up to
    // `MAX_COMPARED_TERMS` terms there; SQLite compares the two rarest.
    if let [rarest, next, ..] = terms
        && db.engine() == Engine::Sqlite
    {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let common = intersect(db, tenant, (*rarest, *next), window, most).await?;
        show_each(db, tenant, &common.ids, visit).await?;
        return Ok(common.reached);
    }
    let (mut seen, mut last) = (0, None);
    let mut count = |contact: &ContactView<'_>| {
        seen += 1;
        last = Some(contact.id);
        visit(contact)
    };
    match WITH_TERMS.get(terms.len().min(MAX_COMPARED_TERMS).wrapping_sub(1)) {
        Some(statement) => found_by(db, statement, &bind(tenant, terms, window, limit), &mut count).await?,
        None => page(db, tenant, window, limit, 0, &mut count).await?,
    }
    Ok(last.filter(|_| seen == limit))
}

async fn found_by(
    db: &Db,
    statement: &Statement,
    params: &[Param<'_>],
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<()> {
    db.each(statement, params, |row: &Row<'_>| visit(&row.columns().take()?)).await
}

/// Number of contacts of the window that have all these terms; None if there are no terms, or more than a statement
/// compares.
pub async fn count_exact(db: &Db, tenant: TenantId, terms: &[Term], window: Window) -> Result<Option<i64>> {
    if terms.is_empty() || terms.len() > MAX_COMPARED_TERMS {
        return Ok(None);
    }
    let Some(statement) = COUNT_WITH_TERMS.get(terms.len() - 1) else { return Ok(None) };
    db.long_row(statement, &bind(tenant, terms, window, i64::MAX), read).await
}

fn bind<'a>(tenant: TenantId, terms: &[Term], window: Window, limit: i64) -> Vec<Param<'a>> {
    let (before, from) = window.bounds();
    let fixed = [tenant.into(), before, from, limit.into()];
    fixed.into_iter().chain(terms.iter().take(MAX_COMPARED_TERMS).map(|term| (*term).into())).collect()
}

/// Sorts the terms: the one with the fewest recent contacts first. Of more than `MAX_RANKED_TERMS` terms it returns a
/// sample only; the caller checks each contact against the whole filter.
pub async fn rarest_first(db: &Db, tenant: TenantId, terms: &[Term]) -> Result<Vec<Term>> {
    if terms.len() < 2 {
        return Ok(terms.to_vec());
    }
    let sample: Vec<Term> = terms.iter().step_by(terms.len().div_ceil(MAX_RANKED_TERMS)).copied().collect();
    let listed = domain::to_json(&sample);
    let mut ranked: Vec<(Term, Option<ContactId>)> =
        db.rows(&RAREST, params![tenant, &listed, RANK_DEPTH], read).await?;
    // None means at most `RANK_DEPTH` contacts, and sorts first.
    ranked.sort_unstable_by_key(|(term, id)| (*id, *term));
    Ok(ranked.into_iter().map(|(term, _)| term).collect())
}

/// Number of contacts of a window created between two instants, both included. Reads all contacts of the window.
pub async fn count_created(
    db: &Db,
    tenant: TenantId,
    window: Window,
    (first, last): (domain::Timestamp, domain::Timestamp),
) -> Result<i64> {
    let (before, from) = window.bounds();
    let params = [tenant.into(), before, from, first.into(), last.into()];
    Ok(db.long_row(&COUNT_CREATED, &params, read).await?.unwrap_or(0))
}
