//! Small things of one kind each: templates, payments, calls, media, faults, settings.

use domain::{TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

static GET: Statement = Statement::new(
    "sandbox_records.get",
    "SELECT key, doc, updated_at FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 AND key = $3",
);
static HELD: Statement = Statement::new(
    "sandbox_records.held",
    "SELECT key, doc, updated_at FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 AND key = $3 {for_update}",
);
static OWNERS: Statement = Statement::tenantless(
    "sandbox_records.owners",
    "whoever asks the sandbox names a file or a template and no tenant",
    "SELECT tenant_id, key, doc, updated_at FROM sandbox_records {indexed_by sandbox_records_key}
     WHERE key = $1 AND kind = $2 LIMIT 10",
);
static PUT: Statement = Statement::new(
    "sandbox_records.put",
    "INSERT INTO sandbox_records (tenant_id, kind, key, doc, updated_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, kind, key) DO UPDATE SET doc = excluded.doc, updated_at = excluded.updated_at",
);
static INSERT: Statement = Statement::new(
    "sandbox_records.insert",
    "INSERT INTO sandbox_records (tenant_id, kind, key, doc, updated_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, kind, key) DO NOTHING",
);
static DELETE: Statement = Statement::new(
    "sandbox_records.delete",
    "DELETE FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 AND key = $3",
);
static CLEAR: Statement =
    Statement::new("sandbox_records.clear", "DELETE FROM sandbox_records WHERE tenant_id = $1 AND kind = $2");
static LIST: Statement = Statement::new(
    "sandbox_records.list",
    "SELECT key, doc, updated_at FROM sandbox_records WHERE tenant_id = $1 AND kind = $2 ORDER BY key",
);

pub(super) static STATEMENTS: &[&Statement] = &[&GET, &HELD, &OWNERS, &PUT, &INSERT, &DELETE, &CLEAR, &LIST];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Template,
    Payment,
    Call,
    Media,
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
            Self::Fault => "fault",
            Self::Setting => "setting",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub key: String,
    /// JSON, as the sandbox keeps it.
    pub doc: String,
    pub updated_at: Timestamp,
}

fn record(row: &Row<'_>) -> Result<Record> {
    Ok(Record { key: row.string(0)?, doc: row.string(1)?, updated_at: row.time(2)? })
}

pub async fn get(db: &Db, tenant: TenantId, kind: Kind, key: &str) -> Result<Option<Record>> {
    db.row(&GET, params![tenant, kind.name(), key], record).await
}

pub async fn get_in(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, key: &str) -> Result<Option<Record>> {
    tx.row(&GET, params![tenant, kind.name(), key], record).await
}

/// Held until the transaction ends: for whoever will change it.
pub async fn held(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, key: &str) -> Result<Option<Record>> {
    tx.row(&HELD, params![tenant, kind.name(), key], record).await
}

/// Those that have this key, of any tenant: seldom more than one.
pub async fn owners(db: &Db, kind: Kind, key: &str) -> Result<Vec<(TenantId, Record)>> {
    let owner = |row: &Row<'_>| {
        Ok((row.tenant(0)?, Record { key: row.string(1)?, doc: row.string(2)?, updated_at: row.time(3)? }))
    };
    db.rows(&OWNERS, params![key, kind.name()], owner).await
}

/// New, or in place of the one with this key.
pub async fn put(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, record: &Record) -> Result<()> {
    let row = params![tenant, kind.name(), &record.key, &record.doc, record.updated_at];
    tx.execute(&PUT, row).await.map(drop)
}

/// False when there is one with this key.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, new: &Record) -> Result<bool> {
    Ok(tx.execute(&INSERT, params![tenant, kind.name(), &new.key, &new.doc, new.updated_at]).await? == 1)
}

pub async fn delete(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind, key: &str) -> Result<bool> {
    Ok(tx.execute(&DELETE, params![tenant, kind.name(), key]).await? == 1)
}

/// All of a kind; answers how many there were.
pub async fn clear(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind) -> Result<u64> {
    tx.execute(&CLEAR, params![tenant, kind.name()]).await
}

/// All of a kind, by key.
pub async fn list(db: &Db, tenant: TenantId, kind: Kind) -> Result<Vec<Record>> {
    db.rows(&LIST, params![tenant, kind.name()], record).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId, kind: Kind) -> Result<Vec<Record>> {
    tx.rows(&LIST, params![tenant, kind.name()], record).await
}
