//! All rows of one tenant: read for an export, and deleted with the tenant; and the rows about one person. The statements
//! are composed from the declarations of the tables (`tables.rs`), so that no table is missed.

use std::sync::LazyLock;

use domain::{ContactId, TenantId, hex};
use serde_json::{Map, Value};

use crate::tables::{Column, ColumnKind, Fate, TABLES, Table};
use crate::{Db, Result, Row, Statement, Tx, params};

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
];
/// Tables whose rows say nothing beyond others: search terms, positions of workers, answers kept for repeats, and the
/// bytes of files, which an export has as files.
const DERIVED: &[&str] = &[
    "contact_terms",
    "message_terms",
    "idempotency",
    "media_pieces",
    "media_uploads",
    "import_pieces",
    "limit_windows",
];

struct OfTenant {
    table: &'static Table,
    delete: Statement,
    read: Statement,
}

/// The row in `tenants` comes last: as long as it is there, the deletion can be repeated.
static OF_TENANT: LazyLock<Vec<OfTenant>> = LazyLock::new(|| {
    let belongs = |table: &&Table| table.fate != Fate::Left && table.column("tenant_id").is_some();
    let (last, others): (Vec<_>, Vec<_>) = TABLES.iter().filter(belongs).partition(|table| table.name == "tenants");
    others.into_iter().chain(last).map(|table| OfTenant { table, delete: delete(table), read: read(table) }).collect()
});

fn delete(table: &Table) -> Statement {
    let (name, key) = (table.name, table.key.iter().filter(|column| **column != "tenant_id"));
    let key = key.copied().collect::<Vec<_>>().join(", ");
    let text = if key.is_empty() {
        format!("DELETE FROM {name} WHERE tenant_id = $1 AND $2 > CAST(0 AS BIGINT)")
    } else {
        format!(
            "DELETE FROM {name} WHERE tenant_id = $1 AND ({key}) IN (
                 SELECT {key} FROM {name} WHERE tenant_id = $1 LIMIT $2)"
        )
    };
    Statement::composed("tenant_data.delete", text)
}

fn read(table: &Table) -> Statement {
    let columns: Vec<&str> = exported(table).map(|column| column.name).collect();
    let text = format!("SELECT {} FROM {} WHERE tenant_id = $1", columns.join(", "), table.name);
    Statement::composed("tenant_data.read", text)
}

fn exported(table: &Table) -> impl Iterator<Item = &'static Column> {
    let secrets = SECRETS.iter().find(|(name, _)| *name == table.name).map_or(&[][..], |(_, columns)| columns);
    table.columns.iter().filter(move |column| !secrets.contains(&column.name))
}

/// The tables of an export, by name.
pub fn exported_tables() -> impl Iterator<Item = &'static str> {
    let is_exported = |one: &&OfTenant| one.table.fate == Fate::Kept && !DERIVED.contains(&one.table.name);
    OF_TENANT.iter().filter(is_exported).map(|one| one.table.name)
}

/// Visits every row of a table that the tenant has, as a JSON object by column: times in RFC 3339, bytes in hexadecimal,
/// no secrets.
pub async fn each_row(
    db: &Db,
    table: &str,
    tenant: TenantId,
    visit: &mut (dyn FnMut(Value) -> Result<()> + Send),
) -> Result<()> {
    let Some(one) = OF_TENANT.iter().find(|one| one.table.name == table) else { return Ok(()) };
    let columns: Vec<&Column> = exported(one.table).collect();
    db.long_each(&one.read, params![tenant], |row: &Row<'_>| visit(object(&columns, row)?)).await
}

fn object(columns: &[&Column], row: &Row<'_>) -> Result<Value> {
    let mut object = Map::new();
    for (i, column) in columns.iter().enumerate() {
        object.insert(column.name.to_owned(), value(column, row, i)?);
    }
    Ok(Value::Object(object))
}

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

static OF_PERSON: LazyLock<Vec<(&'static Table, Statement)>> = LazyLock::new(|| {
    let of_contact = |(name, condition): &(&'static str, &str)| {
        let table = crate::tables::find(name)?;
        let columns: Vec<&str> = exported(table).map(|column| column.name).collect();
        let text = format!("SELECT {} FROM {name} WHERE tenant_id = $1 AND {condition}", columns.join(", "));
        Some((table, Statement::composed("tenant_data.about_person", text)))
    };
    ABOUT_PERSON.iter().filter_map(of_contact).collect()
});

/// The tables of `each_row_about`, by name.
pub fn tables_about_person() -> impl Iterator<Item = &'static str> {
    OF_PERSON.iter().map(|(table, _)| table.name)
}

/// Visits every row of a table that is about a contact, as `each_row`.
pub async fn each_row_about(
    db: &Db,
    table: &str,
    (tenant, contact): (TenantId, ContactId),
    visit: &mut (dyn FnMut(Value) -> Result<()> + Send),
) -> Result<()> {
    let Some((table, read)) = OF_PERSON.iter().find(|(one, _)| one.name == table) else { return Ok(()) };
    let columns: Vec<&Column> = exported(table).collect();
    db.long_each(read, params![tenant, contact], |row: &Row<'_>| visit(object(&columns, row)?)).await
}

fn value(column: &Column, row: &Row<'_>, i: usize) -> Result<Value> {
    let value = match column.kind {
        ColumnKind::Int if is_time(column.name) => row.opt_time(i)?.map(|at| at.to_rfc3339().into()),
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

/// The table that names the files of a tenant.
pub const FILES: &str = "media";

/// Deletes at most `limit` rows of the tenant from each table but `tenants` and those in `kept`; returns how many.
pub async fn delete_some(tx: &mut Tx<'_>, tenant: TenantId, kept: &[&str], limit: i64) -> Result<u64> {
    let mut deleted = 0;
    let is_due = |one: &&OfTenant| one.table.name != "tenants" && !kept.contains(&one.table.name);
    for one in OF_TENANT.iter().filter(is_due) {
        deleted += tx.execute(&one.delete, params![tenant, limit]).await?;
    }
    Ok(deleted)
}

/// Deletes the tenant itself. False if there is none.
pub async fn delete_tenant(tx: &mut Tx<'_>, tenant: TenantId) -> Result<bool> {
    let Some(last) = OF_TENANT.last() else { return Ok(false) };
    Ok(tx.execute(&last.delete, params![tenant, 1]).await? == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_exported() {
        let telling = ["secret", "hash", "password", "sealed", "headers", "token"];
        // Hashes of the audit log prove its order, headers of clicks are those of people's browsers; versions and checks of
        // tokens are numbers and times.
        let harmless = |table: &str, column: &Column| {
            table.starts_with("audit")
                || table == "clicks"
                || column.kind == ColumnKind::Int
                || column.kind == ColumnKind::Bool
        };
        for name in exported_tables() {
            let table = crate::tables::find(name).unwrap();
            let shown: Vec<&str> = exported(table)
                .filter(|column| telling.iter().any(|word| column.name.contains(word)) && !harmless(name, column))
                .map(|column| column.name)
                .collect();
            assert!(shown.is_empty(), "{name}: {shown:?}");
        }
    }

    /// A table with a column that names a contact is either read for the export of a person or listed here.
    #[test]
    fn every_table_about_a_person_is_exported() {
        // What waits to be sent is in `messages` too; the pauses between messages to a person end within minutes.
        let others = ["outbox", "outbox_people"];
        let names_contact = |table: &&Table| {
            ["contact_id", "merged_id"].iter().any(|column| table.column(column).is_some())
                && !others.contains(&table.name)
                && !DERIVED.contains(&table.name)
        };
        for table in TABLES.iter().filter(names_contact) {
            assert!(tables_about_person().any(|name| name == table.name), "{}", table.name);
        }
        assert_eq!(OF_PERSON.len(), ABOUT_PERSON.len());
    }

    #[test]
    fn the_row_of_the_tenant_is_last() {
        assert_eq!(OF_TENANT.last().unwrap().table.name, "tenants");
    }
}
