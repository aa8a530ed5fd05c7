//! Records of several kinds: templates, payments, calls, media, uploads, faults, settings.

use const_format::concatcp;
use domain::{TenantId, Timestamp};

use crate::base::columns::{Columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    GET = select!(Record, " FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 AND key = $3");
    GET_FOR_UPDATE =
        select!(Record, " FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 AND key = $3 {for_update}");
    OWNERS tenantless "a request to the sandbox names a file or a template and no tenant" = concatcp!(
        "SELECT tenant_id, ",
        Record::COLUMNS,
        " FROM sandbox_records {indexed_by sandbox_records_key}
         WHERE key = $1 AND kind = $2 LIMIT 10"
    );
    SAVE = concatcp!(
        insert!("sandbox_records": Record, "kind"),
        " ON CONFLICT (tenant_id, kind, key) DO UPDATE SET doc = excluded.doc, updated_at = excluded.updated_at"
    );
    INSERT = concatcp!(insert!("sandbox_records": Record, "kind"), " ON CONFLICT (tenant_id, kind, key) DO NOTHING");
    DELETE = "DELETE FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 AND key = $3";
    CLEAR = "DELETE FROM sandbox_records WHERE tenant_id = $1 AND kind = $2";
    LIST = select!(Record, " FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 ORDER BY key");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Template,
    Payment,
    Call,
    Media,
    Upload,
    Fault,
    Setting,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Payment => "payment",
            Self::Call => "call",
            Self::Media => "media",
            Self::Upload => "upload",
            Self::Fault => "fault",
            Self::Setting => "setting",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub key: String,
    /// The sandbox's JSON of the record.
    pub doc: String,
    pub updated_at: Timestamp,
}

record! { Record { key, doc, updated_at } }

pub async fn get(db: &Db, tenant: TenantId, kind: Kind, key: &str) -> Result<Option<Record>> {
    db.row(&GET, params![tenant, kind.name(), key], read).await
}

pub async fn get_in(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, key: &str) -> Result<Option<Record>> {
    tx.row(&GET, params![tenant, kind.name(), key], read).await
}

/// The record with this key, locked until the transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, key: &str) -> Result<Option<Record>> {
    tx.row(&GET_FOR_UPDATE, params![tenant, kind.name(), key], read).await
}

/// The records of this kind with this key, of any tenant: usually one, at most 10.
pub async fn owners(db: &Db, kind: Kind, key: &str) -> Result<Vec<(TenantId, Record)>> {
    db.rows(&OWNERS, params![key, kind.name()], read).await
}

/// Inserts the record or replaces the one with this key.
pub async fn save(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, record: &Record) -> Result<()> {
    tx.execute(&SAVE, &Params::for_tenant(tenant).and(record).with(kind.name())).await.map(drop)
}

/// False if there is a record with this key.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, new: &Record) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(kind.name())).await? == 1)
}

pub async fn delete(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, key: &str) -> Result<bool> {
    Ok(tx.execute(&DELETE, params![tenant, kind.name(), key]).await? == 1)
}

/// Deletes all records of a kind and returns their number.
pub async fn clear(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind) -> Result<u64> {
    tx.execute(&CLEAR, params![tenant, kind.name()]).await
}

/// All records of a kind, by key.
pub async fn list(db: &Db, tenant: TenantId, kind: Kind) -> Result<Vec<Record>> {
    db.rows(&LIST, params![tenant, kind.name()], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind) -> Result<Vec<Record>> {
    tx.rows(&LIST, params![tenant, kind.name()], read).await
}
