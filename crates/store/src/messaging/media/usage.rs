//! How much a tenant stores: received files, with limits of its own in place of the installation's, and uploaded ones.

use domain::TenantId;

use crate::base::columns::{columns, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    FIND = select!(MediaUsageRow, " FROM media_usage WHERE tenant_id = $1");
    /// Adds a file if its bytes fit into the tenant's quota, `$3`; the caller compares those of the first file.
    ADD = "INSERT INTO media_usage (tenant_id, bytes, files) VALUES ($1, $2, 1)
        ON CONFLICT (tenant_id) DO UPDATE SET bytes = media_usage.bytes + excluded.bytes, files = media_usage.files + 1
        WHERE media_usage.bytes + excluded.bytes <= $3";
    SUBTRACT = "UPDATE media_usage SET bytes = bytes - $2, files = files - 1 WHERE tenant_id = $1";
    SET_LIMITS = "INSERT INTO media_usage (tenant_id, bytes, files, quota, keep_days) VALUES ($1, 0, 0, $2, $3)
        ON CONFLICT (tenant_id) DO UPDATE SET quota = excluded.quota, keep_days = excluded.keep_days";
    UPLOADED_BYTES =
        "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM media WHERE tenant_id = $1 AND message_id IS NULL";
    TOTAL tenantless "the metric of the installation" =
        "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM media_usage";
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MediaUsageRow {
    pub bytes: i64,
    pub files: i64,
    /// The tenant's own quota in bytes. None: the installation's applies.
    pub quota: Option<i64>,
    /// How many days files of this tenant are kept. None: the installation's number applies.
    pub keep_days: Option<i64>,
}

columns! { MediaUsageRow { bytes, files, quota, keep_days } }

pub async fn find(db: &Db, tenant: TenantId) -> Result<MediaUsageRow> {
    Ok(db.row(&FIND, params![tenant], read).await?.unwrap_or_default())
}

/// Adds a file to the usage. False when the quota, in bytes, has no room for it.
pub async fn add(tx: &mut Tx<'_>, tenant: TenantId, size: i64, quota: i64) -> Result<bool> {
    // The statement compares only where the tenant has a row.
    Ok(size <= quota && tx.execute(&ADD, params![tenant, size, quota]).await? == 1)
}

pub async fn subtract(tx: &mut Tx<'_>, tenant: TenantId, size: i64) -> Result<()> {
    tx.execute(&SUBTRACT, params![tenant, size]).await.map(drop)
}

/// Sets the tenant's own limits. None: the installation's limit applies.
pub async fn set_limits(tx: &mut Tx<'_>, tenant: TenantId, quota: Option<i64>, keep_days: Option<i64>) -> Result<()> {
    tx.execute(&SET_LIMITS, params![tenant, quota, keep_days]).await.map(drop)
}

/// Bytes of the received files of all tenants.
pub async fn total(db: &Db) -> Result<i64> {
    Ok(db.row(&TOTAL, &[], read).await?.unwrap_or(0))
}

/// Bytes of the files that the tenant uploaded. Reads the rows of all of them.
pub async fn uploaded_bytes(db: &Db, tenant: TenantId) -> Result<u64> {
    let bytes: Option<i64> = db.row(&UPLOADED_BYTES, params![tenant], read).await?;
    Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0))
}
