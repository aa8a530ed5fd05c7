//! The audit log: who created, changed and revoked what. Rows are only ever added.

use domain::{AuditEntryId, TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

static APPEND: Statement = Statement::new(
    "audit.append",
    "INSERT INTO audit (tenant_id, id, at, actor, action, subject, details, address, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
);
static LATEST: Statement = Statement::new(
    "audit.latest",
    "SELECT id, at, actor, action, subject, details, address, request_id FROM audit
     WHERE tenant_id = $1 ORDER BY at DESC, id DESC LIMIT $2",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&APPEND, &LATEST];

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    pub id: AuditEntryId,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    pub at: Timestamp,
    /// `command`, `account:<id>`, `token:<id>`.
    pub actor: String,
    /// `token.create`, `account.set_password`.
    pub action: String,
    pub subject: String,
    /// JSON, without secrets.
    pub details: String,
    pub address: Option<String>,
    pub request_id: Option<String>,
}

pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, entry: &Entry) -> Result<()> {
    let row = params![
        tenant,
        entry.id,
        entry.at,
        &entry.actor,
        &entry.action,
        &entry.subject,
        &entry.details,
        &entry.address,
        &entry.request_id
    ];
    tx.execute(&APPEND, row).await.map(drop)
}

pub async fn latest(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<Entry>> {
    let entry = |row: &Row<'_>| {
        Ok(Entry {
            id: row.id(0)?,
            at: row.time(1)?,
            actor: row.string(2)?,
            action: row.string(3)?,
            subject: row.string(4)?,
            details: row.string(5)?,
            address: row.opt_string(6)?,
            request_id: row.opt_string(7)?,
        })
    };
    db.rows(&LATEST, params![tenant, limit], entry).await
}
