//! The audit log: who created, changed and revoked what. Append-only.

use domain::TenantId;

use crate::columns::{insert, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

use domain::audit::AuditEntry;

static APPEND: Statement = Statement::new("audit.append", insert!("audit": AuditEntry));
static LATEST: Statement = Statement::new(
    "audit.latest",
    select!(AuditEntry, " FROM audit WHERE tenant_id = $1 ORDER BY at DESC, id DESC LIMIT $2"),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&APPEND, &LATEST];

record! { AuditEntry { id, at, actor, action, subject, details, address, request_id } }

pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, entry: &AuditEntry) -> Result<()> {
    tx.execute(&APPEND, &Params::of(tenant).and(entry)).await.map(drop)
}

pub async fn latest(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<AuditEntry>> {
    db.rows(&LATEST, params![tenant, limit], read).await
}
