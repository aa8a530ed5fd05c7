//! What operators have seen: for each operator and conversation, a number of messages of the person.

use domain::{AccountId, ConversationId, TenantId, Timestamp};

use crate::base::columns::listed;
use crate::{Db, Result, Tx, params, read};

statements! {
    SEEN_BY = "SELECT r.conversation_id, r.seen
        FROM {sqlite json_each($3) listed CROSS JOIN conversation_reads r
            ON r.tenant_id = $1 AND r.conversation_id = unhex(listed.value) AND r.account_id = $2}
        {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN conversation_reads r
            ON r.tenant_id = $1 AND r.conversation_id = decode(listed.value, 'hex') AND r.account_id = $2}";
    SET_SEEN = "INSERT INTO conversation_reads (tenant_id, conversation_id, account_id, seen, updated_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (tenant_id, conversation_id, account_id)
        DO UPDATE SET seen = excluded.seen, updated_at = excluded.updated_at";
    /// When two conversations become one, adds up what an operator has seen in both. A conversation that the operator
    /// has never marked adds nothing, so that no unread message counts as seen.
    MERGE = "INSERT INTO conversation_reads (tenant_id, conversation_id, account_id, seen, updated_at)
        SELECT r.tenant_id, CAST($3 AS {sqlite BLOB}{postgres BYTEA}), r.account_id, r.seen, r.updated_at
            FROM conversation_reads r
        WHERE r.tenant_id = $1 AND r.conversation_id = $2
        ON CONFLICT (tenant_id, conversation_id, account_id)
        DO UPDATE SET seen = conversation_reads.seen + excluded.seen";
    CLEAR = "DELETE FROM conversation_reads WHERE tenant_id = $1 AND conversation_id = $2";
}

/// How many messages the operator has seen in each of these conversations; those that the operator has never marked are
/// left out.
pub async fn seen_by(
    db: &Db,
    tenant: TenantId,
    account: AccountId,
    conversations: &[ConversationId],
) -> Result<Vec<(ConversationId, i64)>> {
    if conversations.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&SEEN_BY, params![tenant, account, &listed(conversations)], read).await
}

pub async fn set_seen(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: ConversationId,
    account: AccountId,
    seen: i64,
    at: Timestamp,
) -> Result<()> {
    tx.execute(&SET_SEEN, params![tenant, conversation, account, seen, at]).await.map(drop)
}

pub(super) async fn merge(tx: &mut Tx<'_>, tenant: TenantId, from: ConversationId, to: ConversationId) -> Result<()> {
    tx.execute(&MERGE, params![tenant, from, to]).await.map(drop)
}

pub(super) async fn clear(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    tx.execute(&CLEAR, params![tenant, conversation]).await.map(drop)
}
