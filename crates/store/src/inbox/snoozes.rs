//! Timers of snoozed conversations.

use const_format::formatcp;
use domain::base::timers::TimerKind;
use domain::{ConversationId, TenantId, Timestamp};

use crate::{Db, Result, read};

statements! {
    WITHOUT_TIMER tenantless "a node that starts looks for snoozes without a timer in all tenants" = formatcp!(
        "SELECT c.tenant_id, c.id, c.snoozed_until FROM conversations c {{indexed_by conversations_wake}}
         LEFT JOIN timers t ON t.tenant_id = c.tenant_id AND t.kind = '{}' AND t.key = c.id
         WHERE c.snoozed_until IS NOT NULL AND t.tenant_id IS NULL",
        TimerKind::Snooze.name()
    );
}

/// Reads across tenants: snoozed conversations that have no timer, because an earlier version set none.
pub async fn without_timer(db: &Db) -> Result<Vec<(TenantId, ConversationId, Timestamp)>> {
    db.rows(&WITHOUT_TIMER, &[], read).await
}
