//! The audit log: who created, changed and revoked what. Rows are only ever added.

use domain::{AuditEntryId, TenantId, Timestamp};

use crate::columns::{insert, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

static APPEND: Statement = Statement::new("audit.append", insert!("audit": Entry));
static LATEST: Statement = Statement::new(
    "audit.latest",
    select!(Entry, " FROM audit WHERE tenant_id = $1 ORDER BY at DESC, id DESC LIMIT $2"),
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

record! { Entry { id, at, actor, action, subject, details, address, request_id } }

pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, entry: &Entry) -> Result<()> {
    tx.execute(&APPEND, &Params::of(tenant).and(entry)).await.map(drop)
}

pub async fn latest(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<Entry>> {
    db.rows(&LATEST, params![tenant, limit], read).await
}
