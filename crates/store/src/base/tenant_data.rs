//! All rows of one tenant: read for an export, and deleted with the tenant; and the rows about one person. The
//! statements are composed from the tables as the database describes them (`tables.rs`), so that no table is missed.

use domain::base::hex;
use domain::{ContactId, TenantId};
use serde_json::{Map, Value};

use crate::base::tables::{self, BackupRule, Column, ColumnKind, TABLES, TableShape};
use crate::{Db, Param, Result, Row, Statement, Tx, params};

/// Values that an export leaves out: secrets of the installation, sealed or hashed.
const SECRETS: &[(&str, &[&str])] = &[
    ("accounts", &["password_hash"]),
    ("tokens", &["hash"]),
    ("sessions", &["hash"]),
    ("totp_factors", &["secret"]),
    ("recovery_codes", &["hash"]),
    ("one_time_links", &["hash"]),
    ("channels", &["access_token", "app_secret", "verify_token"]),
    ("webhooks", &["headers", "secret", "previous_secret"]),
    ("alert_settings", &["doc"]),
    ("alert_recipients", &["code_hash"]),
];
/// Tables whose rows say nothing beyond others: search terms, positions of workers, answers kept for repeats, and the
/// bytes of files, which an export has as files.
pub const DERIVED: &[&str] = &[
    "contact_terms",
    "import_indexed",
    "message_terms",
    "idempotency",
    "media_pieces",
    "media_uploads",
    "import_pieces",
    "limit_windows",
];
/// Tables that hold rows about a person, each with the condition that finds those of a contact (`$2`).
const ABOUT_PERSON: &[(&str, &str)] = &[
    ("contacts", "id = $2"),
    ("contact_identities", "contact_id = $2"),
    ("contact_consents", "contact_id = $2"),
    ("contact_merges", "(kept_id = $2 OR merged_id = $2)"),
    ("conversations", "contact_id = $2"),
    ("messages", "contact_id = $2"),
    ("calls", "contact_id = $2"),
    ("orders", "contact_id = $2"),
    ("broadcast_refusals", "contact_id = $2"),
    ("clicks", "message_id IN (SELECT m.id FROM messages m WHERE m.tenant_id = $1 AND m.contact_id = $2)"),
    ("media", "id IN (SELECT m.media_id FROM messages m WHERE m.tenant_id = $1 AND m.contact_id = $2)"),
];
/// The table that names the files of a tenant.
pub const FILES: &str = "media";
/// The table of the tenant's own row. It is deleted last: as long as it is there, the deletion can be repeated.
const TENANTS: &str = "tenants";

statements! {
    DELETE_TENANT = "DELETE FROM tenants WHERE tenant_id = $1";
}

/// The tables of an export, by name.
pub fn exported_tables() -> impl Iterator<Item = &'static str> {
    TABLES
        .iter()
        .filter(|table| table.backup_rule == BackupRule::Saved && !DERIVED.contains(&table.name))
        .map(|table| table.name)
}

/// Visits every row of a table that the tenant has, as a JSON object by column: times in RFC 3339, bytes in
/// hexadecimal, no secrets.
pub async fn each_row(
    db: &Db,
    table: &str,
    tenant: TenantId,
    visit: &mut (dyn FnMut(Value) -> Result<()> + Send),
) -> Result<()> {
    each_found(db, table, "", params![tenant], visit).await
}

/// The tables of `each_row_about`, by name.
pub fn tables_about_person() -> impl Iterator<Item = &'static str> {
    ABOUT_PERSON.iter().map(|(table, _)| *table)
}

/// Visits every row of a table that is about a contact, as `each_row`.
pub async fn each_row_about(
    db: &Db,
    table: &str,
    (tenant, contact): (TenantId, ContactId),
    visit: &mut (dyn FnMut(Value) -> Result<()> + Send),
) -> Result<()> {
    let Some((_, about)) = ABOUT_PERSON.iter().find(|(name, _)| *name == table) else { return Ok(()) };
    each_found(db, table, &format!(" AND {about}"), params![tenant, contact], visit).await
}

async fn each_found(
    db: &Db,
    table: &str,
    condition: &str,
    params: &[Param<'_>],
    visit: &mut (dyn FnMut(Value) -> Result<()> + Send),
) -> Result<()> {
    let Some(shape) = tables::shape(db, table).await? else { return Ok(()) };
    let columns = exported(&shape);
    let list = tables::column_names(columns.iter().copied());
    let text = format!("SELECT {list} FROM {table} WHERE tenant_id = $1{condition}");
    let read = composed_statement!(READ, text);
    db.long_each(&read, params, |row: &Row<'_>| visit(object(&columns, row)?)).await
}

fn exported(table: &TableShape) -> Vec<&Column> {
    let secrets = SECRETS.iter().find(|(name, _)| *name == table.name).map_or(&[][..], |(_, columns)| columns);
    table.columns.iter().filter(|column| !secrets.contains(&column.name.as_str())).collect()
}

fn object(columns: &[&Column], row: &Row<'_>) -> Result<Value> {
    let mut object = Map::new();
    for (i, column) in columns.iter().enumerate() {
        object.insert(column.name.clone(), value(column, row, i)?);
    }
    Ok(Value::Object(object))
}

fn value(column: &Column, row: &Row<'_>, i: usize) -> Result<Value> {
    let value = match column.kind {
        ColumnKind::Int if is_time(&column.name) => row.opt_time(i)?.map(|at| at.to_rfc3339().into()),
        ColumnKind::Int => row.opt_int(i)?.map(Value::from),
        ColumnKind::Bool => row.opt_bool(i)?.map(Value::from),
        ColumnKind::Text => row.opt_text(i)?.map(Value::from),
        ColumnKind::Bytes => row.opt_bytes(i)?.map(|bytes| hex::encode(bytes).into()),
    };
    Ok(value.unwrap_or_default())
}

fn is_time(column: &str) -> bool {
    column == "at" || column == "until" || ["_at", "_until", "_since"].iter().any(|end| column.ends_with(end))
}

/// Deletes at most `limit` rows of the tenant from each table but `tenants` and those in `kept`; returns how many. The
/// rows of the installation are no tenant's.
pub async fn delete_some(tx: &mut Tx<'_>, tenant: TenantId, kept: &[&str], limit: i64) -> Result<u64> {
    let mut deleted = 0;
    for table in tables::shapes_in(tx).await? {
        if tenant != TenantId::INSTALLATION && table.name != TENANTS && !kept.contains(&table.name) {
            deleted += tx.execute(&delete(&table), params![tenant, limit]).await?;
        }
    }
    Ok(deleted)
}

fn delete(table: &TableShape) -> Statement {
    let key: Vec<&str> = table.key.iter().map(String::as_str).filter(|column| *column != "tenant_id").collect();
    let (name, key) = (table.name, key.join(", "));
    let text = if key.is_empty() {
        format!("DELETE FROM {name} WHERE tenant_id = $1 AND $2 > CAST(0 AS BIGINT)")
    } else {
        format!(
            "DELETE FROM {name} WHERE tenant_id = $1 AND ({key}) IN (
                 SELECT {key} FROM {name} WHERE tenant_id = $1 LIMIT $2)"
        )
    };
    composed_statement!(DELETE, text)
}

/// Deletes the tenant itself. False if there is none.
pub async fn delete_tenant(tx: &mut Tx<'_>, tenant: TenantId) -> Result<bool> {
    Ok(tx.execute(&DELETE_TENANT, params![tenant]).await? == 1)
}
