//! How many mails were sent in a day, by tenant and by address. The rows are windows of limits, like those of rate limits
//! (`platform/limits.rs`), and are swept with them. Buckets name no address.

use domain::{TenantId, Timestamp};

use crate::{Result, Tx, params, read};

statements! {
    TAKE = "INSERT INTO limit_windows (tenant_id, bucket, window_start, used) VALUES ($1, $2, $3, 1)
        ON CONFLICT (tenant_id, bucket, window_start) DO UPDATE
        SET used = limit_windows.used + excluded.used
        WHERE limit_windows.used < $4
        RETURNING used";
}

/// The beginning of the names of all buckets.
pub const PREFIX: &str = "mail:";

/// Counts a mail. Returns false, and counts nothing, if `max` were counted already.
pub async fn take(tx: &mut Tx<'_>, tenant: TenantId, bucket: &str, day: Timestamp, max: i64) -> Result<bool> {
    let used: Option<i64> = tx.row(&TAKE, params![tenant, bucket, day, max], read).await?;
    Ok(used.is_some())
}
