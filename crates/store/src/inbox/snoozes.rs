//! Conversations whose snooze is over.

use domain::{ConversationId, TenantId, Timestamp};

use crate::{Db, Result, params, read};

statements! {
    DUE tenantless "one scan finds what is due in all tenants; each is then woken in its own" =
        "SELECT tenant_id, id FROM conversations {indexed_by conversations_wake}
         WHERE snoozed_until IS NOT NULL AND snoozed_until <= $1
         ORDER BY snoozed_until LIMIT $2";
}

/// Reads across tenants: the conversations whose snooze is over, the most overdue first.
pub async fn due_to_wake(db: &Db, now: Timestamp, limit: i64) -> Result<Vec<(TenantId, ConversationId)>> {
    db.rows(&DUE, params![now, limit], read).await
}
