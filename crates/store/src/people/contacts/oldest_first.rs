//! Pages of contacts, oldest first, for exports.

use std::sync::LazyLock;

use domain::people::contacts::{ContactView, Term};
use domain::{ContactId, TenantId};

use super::window::{MAX_COMPARED_TERMS, Window, having};
use crate::base::columns::{aliased, select};
use crate::{Db, Param, Result, Row, Statement};

statements! {
    with WITH_TERMS.iter();

    ALL = select!(
        ContactView as "c",
        " FROM contacts c WHERE c.tenant_id = $1 AND c.id < $2 AND c.id >= $3 ORDER BY c.id LIMIT $4"
    );
}

/// Statements for one to `MAX_COMPARED_TERMS` terms.
static WITH_TERMS: LazyLock<Vec<Statement>> = LazyLock::new(|| (1..=MAX_COMPARED_TERMS).map(with_terms).collect());

fn with_terms(terms: usize) -> Statement {
    let text = format!(
        "SELECT {} FROM contact_terms t {{sqlite CROSS}} JOIN contacts c ON c.tenant_id = $1 AND c.id = t.id
         WHERE {} ORDER BY t.id LIMIT $4",
        aliased!(ContactView as "c"),
        having(terms)
    );
    composed_statement!(WITH_TERMS, text)
}

/// Visits up to `limit` contacts of the window after `after`, oldest first, that may have all these terms; all contacts
/// if there are no terms.
pub async fn page_oldest_first(
    db: &Db,
    tenant: TenantId,
    terms: &[Term],
    window: Window,
    after: Option<ContactId>,
    limit: i64,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<()> {
    let (before, from) = window.bounds();
    // The smallest value greater than an id is the id with a zero byte appended.
    let behind = after.map(|id| [id.bytes().as_slice(), &[0]].concat());
    let from = behind.as_ref().map_or(from, |bytes| Param::Bytes(bytes));
    let fixed = [tenant.into(), before, from, limit.into()];
    let params: Vec<Param<'_>> =
        fixed.into_iter().chain(terms.iter().take(MAX_COMPARED_TERMS).map(|term| (*term).into())).collect();
    let statement = WITH_TERMS.get(terms.len().min(MAX_COMPARED_TERMS).wrapping_sub(1)).unwrap_or(&ALL);
    db.each(statement, &params, |row: &Row<'_>| visit(&row.columns().take()?)).await
}
