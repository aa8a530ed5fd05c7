//! Identities of contacts: numbers, BSUIDs, handles and ids of merged contacts.

use const_format::concatcp;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::{ContactId, TenantId, Timestamp};

use crate::base::columns::{aliased, insert, listed, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    /// Citus counts the skipped rows of an insert over arrays too, unless it returns the inserted ones.
    CLAIM = concatcp!(
        insert!("contact_identities": Identity, "contact_id"),
        " ON CONFLICT DO NOTHING{postgres  RETURNING kind}"
    );
    SAVE = concatcp!(
        insert!("contact_identities": Identity, "contact_id"),
        " ON CONFLICT (tenant_id, contact_id, kind, value) DO UPDATE
         SET first_seen = excluded.first_seen, last_seen = excluded.last_seen"
    );
    OF_CONTACT = select!(
        Identity,
        " FROM contact_identities WHERE tenant_id = $1 AND contact_id = $2
         ORDER BY kind, value"
    );
    HOLDER = "SELECT contact_id FROM contact_identities
        WHERE tenant_id = $1 AND kind = $2 AND value = $3 AND kind <> 'username'";
    HOLDERS_OF = "SELECT i.value, i.contact_id
        FROM {sqlite json_each($3) listed CROSS JOIN contact_identities i INDEXED BY contact_identities_person}
        {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN contact_identities i}
        ON i.tenant_id = $1 AND i.kind = $2 AND i.value = listed.value AND i.kind <> 'username'";
    OF_CONTACTS = concatcp!(
        "SELECT i.contact_id, ",
        aliased!(Identity as "i"),
        " FROM {sqlite json_each($2) listed CROSS JOIN contact_identities i
             ON i.tenant_id = $1 AND i.contact_id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN contact_identities i ON i.tenant_id = $1 AND i.contact_id = decode(listed.value, 'hex')}"
    );
    BY_USERNAME = "SELECT contact_id, last_seen FROM contact_identities
        WHERE tenant_id = $1 AND value = $2 AND kind = 'username'";
    REMOVE = "DELETE FROM contact_identities WHERE tenant_id = $1 AND contact_id = $2 AND kind = $3 AND value = $4";
}

record! { Identity { kind, value, first_seen, last_seen } }

/// Inserts the identities that no contact has yet, and returns how many these are.
pub(super) async fn claim(tx: &mut Tx<'_>, tenant: TenantId, identities: &[(ContactId, &Identity)]) -> Result<u64> {
    // Every call claims identities in the same order, so that two concurrent ones do not deadlock.
    let mut ordered: Vec<(ContactId, &Identity)> = identities.to_vec();
    ordered.sort_unstable_by(|a, b| (a.1.kind, &a.1.value).cmp(&(b.1.kind, &b.1.value)));
    tx.execute_many(&CLAIM, ordered.into_iter().map(|(contact, identity)| bind(tenant, contact, identity))).await
}

fn bind(tenant: TenantId, contact: ContactId, identity: &Identity) -> Params<'_> {
    Params::for_tenant(tenant).and(identity).with(contact)
}

/// Inserts or updates an identity. A number or BSUID that another contact has is an error (`Duplicate`), after which
/// PostgreSQL runs the body again: a concurrent transaction may have claimed it.
pub async fn save_identity(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId, identity: &Identity) -> Result<()> {
    tx.execute(&SAVE, &bind(tenant, contact, identity)).await.map(drop)
}

pub async fn save_identities(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    contact: ContactId,
    identities: &[Identity],
) -> Result<()> {
    tx.execute_set(&SAVE, identities.iter().map(|identity| bind(tenant, contact, identity))).await.map(drop)
}

/// Inserts or updates identities of several contacts. No identity may be listed twice.
pub async fn save_identities_of(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    identities: &[(ContactId, &Identity)],
) -> Result<()> {
    let rows = identities.iter().map(|(contact, identity)| bind(tenant, *contact, identity));
    tx.execute_set(&SAVE, rows).await.map(drop)
}

/// Removes identities from one contact and adds them to another, if one is given.
pub async fn move_identities(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    from: ContactId,
    to: Option<ContactId>,
    identities: &[Identity],
) -> Result<()> {
    for identity in identities {
        tx.execute(&REMOVE, params![tenant, from, identity.kind.name(), &identity.value]).await?;
    }
    match to {
        Some(to) => save_identities(tx, tenant, to, identities).await,
        None => Ok(()),
    }
}

pub async fn identities(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Identity>> {
    tx.rows(&OF_CONTACT, params![tenant, contact], read).await
}

/// As `identities`, outside of a transaction.
pub async fn current_identities(db: &Db, tenant: TenantId, contact: ContactId) -> Result<Vec<Identity>> {
    db.rows(&OF_CONTACT, params![tenant, contact], read).await
}

/// The identities of several contacts, each with its contact.
pub async fn identities_of(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    contacts: &[ContactId],
) -> Result<Vec<(ContactId, Identity)>> {
    if contacts.is_empty() {
        return Ok(Vec::new());
    }
    tx.rows(&OF_CONTACTS, params![tenant, &listed(contacts)], read).await
}

/// The contacts that have one of these values as an identity of this kind, each with the value.
pub async fn holders_of(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: IdentityKind,
    values: &[&str],
) -> Result<Vec<(String, ContactId)>> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let listed = domain::to_json(values);
    tx.rows(&HOLDERS_OF, params![tenant, kind.name(), &listed], read).await
}

pub(super) async fn holder(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: IdentityKind,
    value: &str,
) -> Result<Option<ContactId>> {
    tx.row(&HOLDER, params![tenant, kind.name(), value], read).await
}

/// The contacts that have one of these numbers or BSUIDs, each contact once.
pub async fn holders(tx: &mut Tx<'_>, tenant: TenantId, keys: &[Identity]) -> Result<Vec<ContactId>> {
    let mut all = Vec::new();
    for key in keys {
        if let Some(id) = holder(tx, tenant, key.kind, &key.value).await?
            && !all.contains(&id)
        {
            all.push(id);
        }
    }
    Ok(all)
}

/// The contact that was last seen with this handle.
pub async fn by_username(db: &Db, tenant: TenantId, username: &str) -> Result<Option<ContactId>> {
    let seen: Vec<(ContactId, Timestamp)> = db.rows(&BY_USERNAME, params![tenant, username], read).await?;
    Ok(seen.into_iter().max_by_key(|(id, at)| (*at, *id)).map(|(id, _)| id))
}
