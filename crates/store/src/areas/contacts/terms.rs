//! What contacts are found by: an inverted index in a table, the same on both engines.

use const_format::concatcp;
use domain::contacts::{Contact, Term, terms};
use domain::{ContactId, TenantId};

use crate::columns::aliased;
use crate::{Db, Engine, Param, Result, Statement, Tx, epochs, params, read};

static ADD: Statement = Statement::new(
    "contact_terms.add",
    "INSERT INTO contact_terms (tenant_id, term, id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
/// One statement for thousands of rows: on PostgreSQL each statement costs more than each row.
static ADD_LISTED: Statement = Statement::new(
    "contact_terms.add_listed",
    "INSERT INTO contact_terms (tenant_id, term, id)
     SELECT CAST($1 AS BIGINT), CAST(listed.value ->> 0 AS BIGINT),
         {sqlite unhex(listed.value ->> 1)}{postgres decode(listed.value ->> 1, 'hex')}
     FROM {sqlite json_each($2) listed}{postgres json_array_elements(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)}
     WHERE true ON CONFLICT DO NOTHING",
);
static REMOVE: Statement = Statement::new(
    "contact_terms.remove",
    "DELETE FROM contact_terms WHERE tenant_id = $1 AND id = $2 AND term IN
         (SELECT CAST(listed.value AS BIGINT) FROM
          {sqlite json_each($3) listed}{postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value)})",
);
static ALL_TENANTS: Statement = Statement::tenantless(
    "contact_terms.stretch",
    "the index is built anew for the whole installation",
    concatcp!(
        "SELECT c.tenant_id, ",
        aliased!(Contact as "c"),
        " FROM contacts c WHERE (c.tenant_id, c.id) > ($1, $2) ORDER BY c.tenant_id, c.id LIMIT $3 {for_update}"
    ),
);
static CLEAR: Statement = Statement::tenantless(
    "contact_terms.clear",
    "the index is built anew for the whole installation",
    "DELETE FROM contact_terms",
);

pub(super) static STATEMENTS: &[&Statement] = &[&ADD, &ADD_LISTED, &REMOVE, &ALL_TENANTS, &CLEAR];

/// Counted up when the domain changes what contacts are found by: the index is then built anew at the next start.
const VERSION: i64 = 1;
/// The version that the index is of; nought while there is none.
const MARK: &str = "contact_terms";
/// Contacts that are indexed in one transaction while the index is built anew.
const STRETCH: i64 = 10_000;
/// Rows of one listed statement.
const LISTED: usize = 5000;

/// What contacts are found by, in the order of the index: neighbours go to the same page.
pub fn index_of<'a>(contacts: impl IntoIterator<Item = &'a Contact>) -> Vec<(Term, ContactId)> {
    let of = |contact: &'a Contact| terms(contact).into_iter().map(|term| (term, contact.id));
    let mut rows: Vec<(Term, ContactId)> = contacts.into_iter().flat_map(of).collect();
    rows.sort_unstable();
    rows
}

pub(super) async fn replace(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ContactId,
    lost: &[Term],
    gained: &[Term],
) -> Result<()> {
    if !lost.is_empty() {
        let lost = serde_json::to_string(lost).unwrap_or_default();
        tx.execute(&REMOVE, params![tenant, id, &lost]).await?;
    }
    let gained: Vec<(Term, ContactId)> = gained.iter().map(|term| (*term, id)).collect();
    insert(tx, tenant, &gained).await
}

/// SQLite runs a prepared statement a row faster than it reads JSON.
pub(super) async fn insert(tx: &mut Tx<'_>, tenant: TenantId, rows: &[(Term, ContactId)]) -> Result<()> {
    if tx.engine() == Engine::Sqlite {
        let bound = rows.iter().map(|(term, id)| [tenant.into(), (*term).into(), (*id).into()]);
        return tx.execute_many(&ADD, bound).await.map(drop);
    }
    for part in rows.chunks(LISTED) {
        let listed = serde_json::to_string(part).unwrap_or_default();
        tx.execute(&ADD_LISTED, params![tenant, &listed]).await?;
    }
    Ok(())
}

/// Builds the index anew where it is of another version or was left behind by a restore. Nearly always one look.
pub async fn rebuild(db: &Db, mut progress: impl FnMut(u64) + Send) -> Result<()> {
    let built = epochs::value(db, MARK).await?;
    if built == VERSION {
        return Ok(());
    }
    if built != 0 {
        db.write(built, |tx, built| Box::pin(clear(tx, *built))).await?;
    }
    let (mut after, mut done) = (Some((TenantId::INSTALLATION, None)), 0);
    while let Some(place) = after {
        let (next, indexed) = db.write(place, |tx, place| Box::pin(index(tx, *place))).await?;
        after = next;
        if indexed > 0 {
            done += indexed;
            progress(done);
        }
    }
    db.write((), |tx, ()| Box::pin(epochs::set(tx, MARK, VERSION))).await
}

/// After this the next start builds the index anew. The terms themselves are gone already.
pub(crate) async fn forget(tx: &mut Tx<'_>) -> Result<()> {
    epochs::set(tx, MARK, 0).await
}

/// Terms of another version would stay for good: nobody can tell any more which contact has them. Of several starters
/// one does this, before anybody adds.
async fn clear(tx: &mut Tx<'_>, built: i64) -> Result<()> {
    if epochs::set_from(tx, MARK, built, 0).await? {
        tx.execute(&CLEAR, &[]).await?;
    }
    Ok(())
}

type Place = (TenantId, Option<ContactId>);

/// The contacts that follow one, with the place of the last of them. They are held meanwhile: a change in between would
/// leave what it took away.
async fn index(tx: &mut Tx<'_>, (tenant, id): Place) -> Result<(Option<Place>, u64)> {
    let after = [tenant.into(), id.map_or(Param::Bytes(&[]), Param::from), STRETCH.into()];
    let stretch: Vec<(TenantId, Contact)> = tx.rows(&ALL_TENANTS, &after, read).await?;
    for of_tenant in stretch.chunk_by(|a, b| a.0 == b.0) {
        insert(tx, of_tenant[0].0, &index_of(of_tenant.iter().map(|(_, contact)| contact))).await?;
    }
    let last = stretch.last().map(|(tenant, contact)| (*tenant, Some(contact.id)));
    Ok((last, u64::try_from(stretch.len()).unwrap_or(0)))
}
