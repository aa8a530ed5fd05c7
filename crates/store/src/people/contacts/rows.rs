//! The rows of contacts: reading them, and writing them with their terms and the counter.

use std::collections::HashMap;
use std::ops::Bound;

use const_format::concatcp;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Consent, Contact, ContactView, Term, difference, terms as terms_of};
use domain::{ContactId, ImportId, TenantId};

use super::terms::index_of;
use super::{counters, identities, terms, unindexed};
use crate::base::columns::{Columns, aliased, columns, insert, listed, record, select, update};
use crate::{Db, Error, Param, Params, Result, Row, Statement, Tx, params, read};

statements! {
    INSERT = insert!("contacts": Contact);
    UPDATE = update!("contacts": Contact);
    REMOVE = "DELETE FROM contacts WHERE tenant_id = $1 AND id = $2";
    BY_ID = select!(ContactView as "c", " FROM contacts c WHERE c.tenant_id = $1 AND c.id = $2");
    /// The condition on the kind repeats that of the partial index: without it the engines would not use the index.
    BY_IDENTITY = select!(
        ContactView as "c",
        " FROM contact_identities i JOIN contacts c ON c.tenant_id = i.tenant_id AND c.id = i.contact_id
         WHERE i.tenant_id = $1 AND i.kind = $2 AND i.value = $3 AND i.kind <> 'username'"
    );
    FOR_UPDATE = select!(Contact as "c", " FROM contacts c WHERE c.tenant_id = $1 AND c.id = $2 {for_update}");
    BY_VALUES = concatcp!(
        "SELECT i.value, ",
        aliased!(Contact as "c"),
        " FROM {sqlite json_each($3) listed CROSS JOIN contact_identities i INDEXED BY contact_identities_person}
         {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN contact_identities i}
         ON i.tenant_id = $1 AND i.kind = $2 AND i.value = listed.value AND i.kind <> 'username'
         JOIN contacts c ON c.tenant_id = i.tenant_id AND c.id = i.contact_id {postgres FOR UPDATE OF c}"
    );
    BY_IDS = select!(
        ContactView as "c",
        " FROM {sqlite json_each($2) listed CROSS JOIN contacts c ON c.tenant_id = $1 AND c.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN contacts c ON c.tenant_id = $1 AND c.id = decode(listed.value, 'hex') ORDER BY c.id DESC}"
    );
    BY_IDS_FOR_UPDATE = select!(
        Contact as "c",
        " FROM {sqlite json_each($2) listed CROSS JOIN contacts c ON c.tenant_id = $1 AND c.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN contacts c ON c.tenant_id = $1 AND c.id = decode(listed.value, 'hex') ORDER BY c.id FOR UPDATE OF c}"
    );
    NEXT_BY_ID = select!(
        Contact as "c",
        " FROM contacts c WHERE c.tenant_id = $1 AND c.id >= $2 ORDER BY c.id LIMIT $3"
    );
    /// The contacts among these whose BSUID looks generated.
    UNNAMED = "SELECT c.id
        FROM {sqlite json_each($2) listed CROSS JOIN contacts c ON c.tenant_id = $1 AND c.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN contacts c ON c.tenant_id = $1 AND c.id = decode(listed.value, 'hex')}
         WHERE c.bsuid LIKE '__.SW%'";
    /// Finds many contacts at once, with only the columns that sending needs.
    ADDRESSED = concatcp!(
        "SELECT i.value, ",
        Addressee::COLUMNS,
        " FROM {sqlite json_each($3) listed CROSS JOIN contact_identities i INDEXED BY contact_identities_person}
         {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN contact_identities i}
         ON i.tenant_id = $1 AND i.kind = $2 AND i.value = listed.value AND i.kind <> 'username'
         JOIN contacts c ON c.tenant_id = i.tenant_id AND c.id = i.contact_id"
    );
    ADDRESSED_BY_ID = concatcp!(
        "SELECT listed.value, ",
        Addressee::COLUMNS,
        " FROM {sqlite json_each($2) listed CROSS JOIN contacts c ON c.tenant_id = $1 AND c.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN contacts c ON c.tenant_id = $1 AND c.id = decode(listed.value, 'hex')}"
    );
    NAMES_BY_ID = concatcp!(
        "SELECT listed.value, ",
        PersonNames::COLUMNS,
        " FROM {sqlite json_each($2) listed CROSS JOIN contacts c ON c.tenant_id = $1 AND c.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN contacts c ON c.tenant_id = $1 AND c.id = decode(listed.value, 'hex')}"
    );
    NAMES_BY_FORMER_ID = concatcp!(
        "SELECT i.value, ",
        PersonNames::COLUMNS,
        " FROM {sqlite json_each($3) listed CROSS JOIN contact_identities i INDEXED BY contact_identities_person}
         {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN contact_identities i}
         ON i.tenant_id = $1 AND i.kind = $2 AND i.value = listed.value AND i.kind <> 'username'
         JOIN contacts c ON c.tenant_id = i.tenant_id AND c.id = i.contact_id"
    );
}

columns! {
    <'r> ContactView<'r> {
        id,
        bsuid,
        parent_bsuid,
        username,
        phone,
        name,
        source,
        custom_params,
        teams,
        segments,
        labels,
        opted_in,
        allow_broadcast,
        allow_sms,
        blocked: "blocked_at IS NOT NULL",
        created_at,
        updated_at,
    }
}

record! { Consent { opted_in, source: "opt_source", at: "opt_at" } }

record! {
    Contact {
        id,
        bsuid,
        parent_bsuid,
        username,
        phone,
        name,
        source,
        custom_params,
        teams,
        segments,
        labels,
        consent: Consent,
        allow_broadcast,
        allow_sms,
        blocked_at,
        created_at,
        updated_at,
    }
}

/// Inserts a contact with its identities. If another contact has one of the numbers or BSUIDs, this fails with
/// `TryAgain`. After a look-up that found none, that is a concurrent transaction's contact: PostgreSQL runs the body
/// again, which finds it.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Contact, identities: &[Identity]) -> Result<()> {
    insert_many(tx, tenant, &[(new, identities)]).await
}

/// Inserts many contacts, no two of which share an identity, as `insert` does.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, new: &[(&Contact, &[Identity])]) -> Result<()> {
    insert_indexed(tx, tenant, new, &index_of(new.iter().map(|(contact, _)| *contact))).await
}

/// Like `insert_many`, with the result of `index_of` computed before the transaction: on SQLite other writers wait
/// while a transaction computes.
pub async fn insert_indexed(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    new: &[(&Contact, &[Identity])],
    index: &[(Term, ContactId)],
) -> Result<()> {
    insert_rows(tx, tenant, new).await?;
    terms::insert_new(tx, tenant, index).await?;
    counters::record_change(tx, tenant, i64::try_from(new.len()).unwrap_or(0)).await
}

/// Like `insert_many`, without the terms: the import adds them later (`add_terms`).
pub async fn insert_unindexed(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    import: ImportId,
    new: &[(&Contact, &[Identity])],
) -> Result<()> {
    let Some(first) = new.iter().map(|(contact, _)| contact.id).min() else { return Ok(()) };
    unindexed::mark(tx, tenant, import, first).await?;
    insert_rows(tx, tenant, new).await?;
    counters::record_change(tx, tenant, i64::try_from(new.len()).unwrap_or(0)).await
}

async fn insert_rows(tx: &mut Tx<'_>, tenant: TenantId, new: &[(&Contact, &[Identity])]) -> Result<()> {
    let rows = new.iter().map(|(contact, _)| Params::for_tenant(tenant).and(*contact));
    tx.execute_many(&INSERT, rows).await?;
    let all: Vec<(ContactId, &Identity)> =
        new.iter().flat_map(|(contact, own)| own.iter().map(|identity| (contact.id, identity))).collect();
    let taken = identities::claim(tx, tenant, &all).await?;
    if taken != u64::try_from(all.len()).unwrap_or(0) {
        return Err(Error::TryAgain("another contact has just been made with the same number or BSUID".to_owned()));
    }
    Ok(())
}

/// Replaces the row of a contact, and the terms that differ. Its identities stay.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, before: &Contact, after: &Contact) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(after)).await?;
    replace_terms(tx, tenant, before, after).await?;
    counters::record_change(tx, tenant, 0).await
}

/// Updates many contacts; the counter changes once.
pub async fn update_many(tx: &mut Tx<'_>, tenant: TenantId, changes: &[(Contact, Contact)]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    tx.execute_many(&UPDATE, changes.iter().map(|(_, after)| Params::for_tenant(tenant).and(after))).await?;
    for (before, after) in changes {
        replace_terms(tx, tenant, before, after).await?;
    }
    counters::record_change(tx, tenant, 0).await
}

/// Replaces the terms that differ, or all of them if the index may lack some.
async fn replace_terms(tx: &mut Tx<'_>, tenant: TenantId, before: &Contact, after: &Contact) -> Result<()> {
    let (lost, gained) = if unindexed::take_over(tx, tenant, after.id).await? {
        (terms_of(before), terms_of(after))
    } else {
        difference(before, after)
    };
    terms::replace(tx, tenant, after.id, &lost, &gained).await
}

/// Deletes the row and its terms; the caller moves or deletes its identities.
pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, gone: &Contact) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, gone.id]).await?;
    unindexed::take_over(tx, tenant, gone.id).await?;
    terms::replace(tx, tenant, gone.id, &terms_of(gone), &[]).await?;
    counters::record_change(tx, tenant, -1).await
}

/// Restores the row and the terms of a contact that `remove` deleted; the caller restores its identities.
pub async fn restore(tx: &mut Tx<'_>, tenant: TenantId, contact: &Contact) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(contact)).await?;
    terms::insert(tx, tenant, &index_of([contact])).await?;
    counters::record_change(tx, tenant, 1).await
}

/// Visits the contact with this id, or the one that it was merged into. False if there is none.
pub async fn show(
    db: &Db,
    tenant: TenantId,
    id: ContactId,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<bool> {
    if visit_found(db, &BY_ID, params![tenant, id], visit).await? {
        return Ok(true);
    }
    show_known_by(db, tenant, IdentityKind::Id, &id.to_string(), visit).await
}

/// Visits the contact with this number, BSUID or former id.
pub async fn show_known_by(
    db: &Db,
    tenant: TenantId,
    kind: IdentityKind,
    value: &str,
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<bool> {
    visit_found(db, &BY_IDENTITY, params![tenant, kind.name(), value], visit).await
}

async fn visit_found(
    db: &Db,
    statement: &Statement,
    params: &[Param<'_>],
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<bool> {
    let mut found = false;
    let seen = |row: &Row<'_>| {
        found = true;
        visit(&row.columns().take()?)
    };
    db.each(statement, params, seen).await?;
    Ok(found)
}

/// Visits the contacts with these ids, newest first. The ids must be sorted newest first, because SQLite visits in
/// their order.
pub async fn show_each(
    db: &Db,
    tenant: TenantId,
    ids: &[ContactId],
    visit: &mut (dyn FnMut(&ContactView<'_>) -> Result<()> + Send),
) -> Result<()> {
    let listed = domain::to_json(ids);
    db.each(&BY_IDS, params![tenant, &listed], |row| visit(&row.columns().take()?)).await
}

/// The result of `of` for the contact with this number, BSUID or former id. Takes no lock.
pub async fn read_known_by<T: Send>(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: IdentityKind,
    value: &str,
    of: &mut (dyn FnMut(&ContactView<'_>) -> T + Send),
) -> Result<Option<T>> {
    tx.row(&BY_IDENTITY, params![tenant, kind.name(), value], |row| Ok(of(&row.columns().take()?))).await
}

/// The result of `of` for the contact with exactly this id. Takes no lock.
pub async fn read_by_id<T: Send>(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ContactId,
    of: &mut (dyn FnMut(&ContactView<'_>) -> T + Send),
) -> Result<Option<T>> {
    tx.row(&BY_ID, params![tenant, id], |row| Ok(of(&row.columns().take()?))).await
}

/// The contact with exactly this id, locked until the transaction ends.
pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: ContactId) -> Result<Option<Contact>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}

/// The contacts with exactly these ids, locked until the transaction ends, in the order of their ids.
pub async fn by_ids_for_update(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<Vec<Contact>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    tx.rows(&BY_IDS_FOR_UPDATE, params![tenant, &listed(ids)], read).await
}

/// The contacts from this id on, at most `limit`, in the order of their ids.
pub async fn next_by_id(db: &Db, tenant: TenantId, from: Bound<ContactId>, limit: i64) -> Result<Vec<Contact>> {
    let from = match from {
        Bound::Included(id) => id.bytes().to_vec(),
        // The smallest value greater than an id is the id with a zero byte appended.
        Bound::Excluded(id) => [id.bytes().as_slice(), &[0]].concat(),
        Bound::Unbounded => Vec::new(),
    };
    db.rows(&NEXT_BY_ID, &[tenant.into(), Param::Bytes(&from), limit.into()], read).await
}

/// The contacts among these whose BSUID the network may not have sent yet.
pub async fn unnamed(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<Vec<ContactId>> {
    tx.rows(&UNNAMED, params![tenant, &listed(ids)], read).await
}

/// The contact with this number, BSUID or former id, locked until the transaction ends.
pub async fn known_by(tx: &mut Tx<'_>, tenant: TenantId, kind: IdentityKind, value: &str) -> Result<Option<Contact>> {
    let Some(id) = identities::holder(tx, tenant, kind, value).await? else { return Ok(None) };
    let gone = || Error::TryAgain("the contact has just been merged or deleted".to_owned());
    for_update(tx, tenant, id).await?.ok_or_else(gone).map(Some)
}

/// The contacts that have one of these numbers or BSUIDs, each with the value, locked until the transaction ends.
pub async fn known_by_any(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: IdentityKind,
    values: &[&str],
) -> Result<Vec<(String, Contact)>> {
    let listed = domain::to_json(values);
    tx.rows(&BY_VALUES, params![tenant, kind.name(), &listed], read).await
}

/// The members of a contact that sending needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressee {
    pub id: ContactId,
    pub phone: Option<String>,
    pub bsuid: String,
    pub name: String,
    pub opted_in: bool,
    pub allow_broadcast: bool,
    pub is_blocked: bool,
}

columns! {
    Addressee {
        id: "c.id",
        phone: "c.phone",
        bsuid: "c.bsuid",
        name: "c.name",
        opted_in: "c.opted_in",
        allow_broadcast: "c.allow_broadcast",
        is_blocked: "c.blocked_at IS NOT NULL",
    }
}

/// The contact of each of these values that is known; ids of merged contacts have the kind `Id`.
pub async fn addressed(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: IdentityKind,
    values: &[&str],
) -> Result<Vec<(String, Addressee)>> {
    let listed = domain::to_json(values);
    tx.rows(&ADDRESSED, params![tenant, kind.name(), &listed], read).await
}

pub async fn addressed_by_id(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<Vec<(String, Addressee)>> {
    tx.rows(&ADDRESSED_BY_ID, params![tenant, &listed(ids)], read).await
}

/// What people call a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonNames {
    /// Empty if the contact has none.
    pub name: String,
    pub username: Option<String>,
    pub phone: Option<String>,
}

columns! { PersonNames { name: "c.name", username: "c.username", phone: "c.phone" } }

/// The names of the contacts with these ids, or of the contacts that they were merged into. Contacts that do not exist
/// are left out.
pub async fn names(db: &Db, tenant: TenantId, ids: &[ContactId]) -> Result<HashMap<ContactId, PersonNames>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found: Vec<(String, PersonNames)> = db.rows(&NAMES_BY_ID, params![tenant, &listed(ids)], read).await?;
    let mut names: HashMap<ContactId, PersonNames> = by_id(found).collect();
    let merged: Vec<ContactId> = ids.iter().filter(|id| !names.contains_key(id)).copied().collect();
    if !merged.is_empty() {
        let (kind, merged) = (IdentityKind::Id.name(), listed(&merged));
        let found: Vec<(String, PersonNames)> =
            db.rows(&NAMES_BY_FORMER_ID, params![tenant, kind, &merged], read).await?;
        names.extend(by_id(found));
    }
    Ok(names)
}

fn by_id(found: Vec<(String, PersonNames)>) -> impl Iterator<Item = (ContactId, PersonNames)> {
    found.into_iter().filter_map(|(id, names)| Some((id.parse().ok()?, names)))
}
