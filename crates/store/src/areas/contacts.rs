//! Contacts, newest first.

use domain::contacts::{Contact, CustomParam};
use domain::{Id, TenantId, Timestamp};

use crate::{Db, Error, Result, Row, Statement, Tx, params};

static INSERT: Statement = Statement::new(
    "contacts.insert",
    "INSERT INTO contacts (tenant_id, id, bsuid, parent_bsuid, username, phone, name, source, custom_params, opted_in,
         allow_broadcast, allow_sms, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING",
);
static UPDATE: Statement = Statement::new(
    "contacts.update",
    "UPDATE contacts SET name = $3, custom_params = $4, updated_at = $5 WHERE tenant_id = $1 AND id = $2",
);
static BY_PHONE: Statement = Statement::new(
    "contacts.by_phone",
    "SELECT id, bsuid, parent_bsuid, username, phone, name, source, custom_params, opted_in, allow_broadcast,
         allow_sms, created_at, updated_at
     FROM contacts WHERE tenant_id = $1 AND phone = $2 AND deleted_at IS NULL {for_update}",
);
static PAGE: Statement = Statement::new(
    "contacts.page",
    "SELECT id, bsuid, parent_bsuid, username, phone, name, source, custom_params, opted_in, allow_broadcast,
         allow_sms, created_at, updated_at
     FROM contacts WHERE tenant_id = $1 AND created_at >= $2 AND (created_at, id) < ($3, $4) AND deleted_at IS NULL
     ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6",
);
static COUNT: Statement =
    Statement::new("contacts.count", "SELECT COUNT(*) FROM contacts WHERE tenant_id = $1 AND deleted_at IS NULL");

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &UPDATE, &BY_PHONE, &PAGE, &COUNT];

/// A stretch of the list: contacts made from `from` on, strictly before `before` in the list's order.
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    pub from: Timestamp,
    pub before: (Timestamp, Option<Id>),
    pub offset: i64,
    pub limit: i64,
}

fn contact(row: &Row<'_>) -> Result<Contact> {
    Ok(Contact {
        id: row.id(0)?,
        bsuid: row.string(1)?,
        parent_bsuid: row.string(2)?,
        username: row.opt_string(3)?,
        phone: row.opt_string(4)?,
        name: row.string(5)?,
        source: row.string(6)?,
        custom_params: serde_json::from_str(row.text(7)?).map_err(|_| Error::Column(7))?,
        opted_in: row.bool(8)?,
        allow_broadcast: row.bool(9)?,
        allow_sms: row.bool(10)?,
        created_at: row.time(11)?,
        updated_at: row.time(12)?,
    })
}

fn params_text(params: &[CustomParam]) -> String {
    serde_json::to_string(params).unwrap_or_else(|_| "[]".to_owned())
}

/// False when there is one with the same number or BSUID.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Contact) -> Result<bool> {
    let custom = params_text(&new.custom_params);
    let row = params![
        tenant,
        new.id,
        &new.bsuid,
        &new.parent_bsuid,
        &new.username,
        &new.phone,
        &new.name,
        &new.source,
        &custom,
        new.opted_in,
        new.allow_broadcast,
        new.allow_sms,
        new.created_at,
        new.updated_at
    ];
    Ok(tx.execute(&INSERT, row).await? == 1)
}

pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Contact) -> Result<()> {
    let custom = params_text(&changed.custom_params);
    let row = params![tenant, changed.id, &changed.name, &custom, changed.updated_at];
    tx.execute(&UPDATE, row).await.map(drop)
}

pub async fn by_phone(tx: &mut Tx<'_>, tenant: TenantId, phone: &str) -> Result<Option<Contact>> {
    tx.row(&BY_PHONE, params![tenant, phone], contact).await
}

pub async fn page(db: &Db, tenant: TenantId, stretch: Stretch) -> Result<Vec<Contact>> {
    let (before, id) = stretch.before;
    let id = id.map_or(crate::Param::Bytes(&[]), crate::Param::Id);
    let row = [tenant.into(), stretch.from.into(), before.into(), id, stretch.limit.into(), stretch.offset.into()];
    db.rows(&PAGE, &row, contact).await
}

pub async fn count(db: &Db, tenant: TenantId) -> Result<i64> {
    Ok(db.row(&COUNT, params![tenant], |row| row.int(0)).await?.unwrap_or(0))
}
