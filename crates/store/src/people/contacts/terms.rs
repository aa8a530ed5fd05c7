//! The inverted index of contacts: a table of terms, the same on both engines.

use domain::people::contacts::{Contact, Term, terms};
use domain::{ContactId, TenantId};

use crate::base::columns::select;
use crate::base::epochs;
use crate::{Db, Param, Result, Tx, params, read};

statements! {
    ADD = "INSERT INTO contact_terms (tenant_id, term, id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    /// For terms that nothing can have written before. PostgreSQL looks each row up twice if there may be a conflict.
    ADD_NEW = "INSERT INTO contact_terms (tenant_id, term, id) VALUES ($1, $2, $3)";
    REMOVE = "DELETE FROM contact_terms WHERE tenant_id = $1 AND id = $2 AND term IN
            (SELECT CAST(listed.value AS BIGINT) FROM
             {sqlite json_each($3) listed}
             {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value)})";
    NEXT_CONTACTS = select!(
        Contact as "c",
        " FROM contacts c WHERE c.tenant_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3 {for_update}"
    );
    /// Finds the next tenant that has contacts, by one step in an index.
    NEXT_TENANT tenantless "the index is built anew for the whole installation" =
        "SELECT tenant_id FROM contacts WHERE tenant_id > $1 ORDER BY tenant_id LIMIT 1";
    CLEAR tenantless "the index is built anew for the whole installation" = "DELETE FROM contact_terms";
}

/// Increased when the domain changes `terms`: the next start then rebuilds the index.
const VERSION: i64 = 1;
/// Name of the stored version of the index; 0 means that the index is absent or not complete.
const VERSION_NAME: &str = "contact_terms";
/// Contacts indexed in one transaction of a rebuild.
const REBUILD_BATCH: i64 = 10_000;

/// The terms of contacts, sorted like the index for better locality.
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
        let lost = domain::to_json(lost);
        tx.execute(&REMOVE, params![tenant, id, &lost]).await?;
    }
    let gained: Vec<(Term, ContactId)> = gained.iter().map(|term| (*term, id)).collect();
    insert(tx, tenant, &gained).await
}

pub(super) async fn insert(tx: &mut Tx<'_>, tenant: TenantId, rows: &[(Term, ContactId)]) -> Result<()> {
    tx.execute_many(&ADD, bound(tenant, rows)).await.map(drop)
}

/// The same for contacts that this transaction inserts.
pub(super) async fn insert_new(tx: &mut Tx<'_>, tenant: TenantId, rows: &[(Term, ContactId)]) -> Result<()> {
    tx.execute_many(&ADD_NEW, bound(tenant, rows)).await.map(drop)
}

fn bound(tenant: TenantId, rows: &[(Term, ContactId)]) -> impl Iterator<Item = [Param<'_>; 3]> {
    rows.iter().map(move |(term, id)| [tenant.into(), (*term).into(), (*id).into()])
}

/// Rebuilds the index if it has another version, or after a restore. Usually only reads the version. After a crash the
/// next start begins anew and skips terms that are there.
#[boxed::futures]
pub async fn rebuild(db: &Db, progress: &mut (dyn FnMut(u64) + Send)) -> Result<()> {
    let built = epochs::value(db, VERSION_NAME).await?;
    if built == VERSION {
        return Ok(());
    }
    if built != 0 {
        db.write(built, |tx, built| Box::pin(clear(tx, *built))).await?;
    }
    let (mut after, mut done) = (Some((TenantId::INSTALLATION, None)), 0);
    while let Some(position) = after {
        let (next, indexed) = db.write(position, |tx, position| Box::pin(index(tx, *position))).await?;
        after = next;
        if indexed > 0 {
            done += indexed;
            progress(done);
        }
    }
    db.write((), |tx, ()| Box::pin(epochs::set(tx, VERSION_NAME, VERSION))).await
}

/// Makes the next start rebuild the index. Deletes no terms: the restore that calls it has deleted them.
pub(crate) async fn require_rebuild(tx: &mut Tx<'_>) -> Result<()> {
    epochs::set(tx, VERSION_NAME, 0).await
}

/// Deletes the terms of another version, since no later change would remove them. Of several processes that start at
/// the same time, one does this before any of them adds terms.
async fn clear(tx: &mut Tx<'_>, built: i64) -> Result<()> {
    if epochs::set_from(tx, VERSION_NAME, built, 0).await? {
        tx.execute(&CLEAR, &[]).await?;
    }
    Ok(())
}

type RebuildPosition = (TenantId, Option<ContactId>);

/// Indexes the next contacts of a tenant. Returns the position to continue from (none at the end) and the number of
/// contacts indexed. Locks the contacts: a concurrent change could otherwise leave terms that a contact no longer has.
async fn index(tx: &mut Tx<'_>, (tenant, id): RebuildPosition) -> Result<(Option<RebuildPosition>, u64)> {
    let after = [tenant.into(), id.map_or(Param::Bytes(&[]), Param::from), REBUILD_BATCH.into()];
    let contacts: Vec<Contact> = tx.rows(&NEXT_CONTACTS, &after, read).await?;
    insert(tx, tenant, &index_of(&contacts)).await?;
    let next = match contacts.last() {
        Some(last) => Some((tenant, Some(last.id))),
        None => tx.row(&NEXT_TENANT, params![tenant], read).await?.map(|tenant| (tenant, None)),
    };
    Ok((next, u64::try_from(contacts.len()).unwrap_or(0)))
}
