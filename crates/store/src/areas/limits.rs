//! What was used of rate and usage limits, where several nodes share them or a restart must not forget them.

use domain::{TenantId, Timestamp};

use crate::{Db, Result, Statement, Tx, params};

static TAKE: Statement = Statement::new(
    "limits.take",
    "INSERT INTO limit_windows (tenant_id, bucket, window_start, used) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, bucket, window_start) DO UPDATE
     SET used = limit_windows.used + excluded.used
     WHERE limit_windows.used + excluded.used <= $5
     RETURNING used",
);
static USED: Statement = Statement::new(
    "limits.used",
    "SELECT used FROM limit_windows WHERE tenant_id = $1 AND bucket = $2 AND window_start = $3",
);
static FORGET: Statement = Statement::tenantless(
    "limits.forget",
    "windows of the past are swept for all tenants together",
    "DELETE FROM limit_windows WHERE window_start < $1 AND bucket >= $2 AND bucket < $3",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&TAKE, &USED, &FORGET];

/// Takes `amount` of a window's limit, all or nothing; answers what is used then.
pub async fn take(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    bucket: &str,
    window: Timestamp,
    amount: i64,
    limit: i64,
) -> Result<Option<i64>> {
    tx.row(&TAKE, params![tenant, bucket, window, amount, limit], |row| row.int(0)).await
}

pub async fn used(db: &Db, tenant: TenantId, bucket: &str, window: Timestamp) -> Result<i64> {
    Ok(db.row(&USED, params![tenant, bucket, window], |row| row.int(0)).await?.unwrap_or(0))
}

/// Forgets the windows of buckets with this prefix that began before `before`.
pub async fn forget(tx: &mut Tx<'_>, prefix: &str, before: Timestamp) -> Result<u64> {
    let end = format!("{prefix}\u{7f}");
    tx.execute(&FORGET, params![before, prefix, &end]).await
}
