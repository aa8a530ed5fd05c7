//! How much a tenant uses of each quota.

use domain::TenantId;
use domain::quotas::Quota;

use crate::areas::segments;
use crate::{Db, Result, Tx, params, read};

statements! {
    SEGMENTS = "SELECT COUNT(*) FROM segments WHERE tenant_id = $1";
    WEBHOOKS = "SELECT COUNT(*) FROM webhooks WHERE tenant_id = $1";
    TEMPLATES = "SELECT COUNT(*) FROM templates WHERE tenant_id = $1 AND deleted_at = 0";
    IMPORTS = "SELECT COUNT(*) FROM imports WHERE tenant_id = $1 AND finished_at IS NULL";
    TOKENS = "SELECT COUNT(*) FROM tokens WHERE tenant_id = $1 AND revoked_at IS NULL";
    TEAMS = "SELECT COUNT(*) FROM teams WHERE tenant_id = $1";
    MEDIA_BYTES =
        "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM media WHERE tenant_id = $1 AND message_id IS NULL";
}

pub async fn used(tx: &mut Tx<'_>, tenant: TenantId, quota: Quota) -> Result<u64> {
    let statement = match quota {
        Quota::Conditions => return conditions(tx, tenant).await,
        Quota::Segments => &SEGMENTS,
        Quota::Webhooks => &WEBHOOKS,
        Quota::Templates => &TEMPLATES,
        Quota::Imports => &IMPORTS,
        Quota::Tokens => &TOKENS,
        Quota::Teams => &TEAMS,
    };
    let count: Option<i64> = tx.row(statement, params![tenant], read).await?;
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
}

/// Bytes of the files that the tenant uploaded. Reads the rows of all of them.
pub async fn uploaded_bytes(db: &Db, tenant: TenantId) -> Result<u64> {
    let bytes: Option<i64> = db.row(&MEDIA_BYTES, params![tenant], read).await?;
    Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0))
}

/// Counts the conditions of all segments of a tenant. They are stored as text, so each segment is read; a tenant has
/// few.
async fn conditions(tx: &mut Tx<'_>, tenant: TenantId) -> Result<u64> {
    let all = segments::list_in(tx, tenant).await?;
    Ok(all.iter().map(|segment| segment.members.conditions()).sum::<usize>() as u64)
}
