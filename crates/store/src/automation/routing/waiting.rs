//! Conversations that wait for an operator: one row for each. The row of a conversation that does not wait any more is
//! deleted by the consumer that hears of the change, or by the transaction that would assign the conversation.

use const_format::concatcp;
use domain::automation::routing::WaitingQueue;
use domain::messaging::conversations::Conversation;
use domain::{ConversationId, TenantId, Timestamp};

use crate::base::columns::{insert, listed, record, select};
use crate::{Params, Result, Tx, params, read};

statements! {
    SAVE = concatcp!(
        insert!("waiting_conversations": WaitingRow),
        " ON CONFLICT (tenant_id, conversation_id)
         DO UPDATE SET queue = excluded.queue, by_rule = excluded.by_rule, since = excluded.since"
    );
    REMOVE = "DELETE FROM waiting_conversations WHERE tenant_id = $1 AND conversation_id = $2";
    OF = select!(WaitingRow as "w",
        " FROM {sqlite json_each($2) listed CROSS JOIN waiting_conversations w
             ON w.tenant_id = $1 AND w.conversation_id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN waiting_conversations w ON w.tenant_id = $1 AND w.conversation_id = decode(listed.value, 'hex')}"
    );
    AFTER = select!(
        WaitingRow,
        " FROM waiting_conversations WHERE tenant_id = $1 AND conversation_id > $2 ORDER BY conversation_id LIMIT $3"
    );
    /// Each queue once: a step in an index for each, however many conversations it has.
    QUEUES = "WITH RECURSIVE first_ones (queue) AS (
            SELECT MIN(queue) FROM waiting_conversations WHERE tenant_id = $1
            UNION ALL
            SELECT (SELECT MIN(w.queue) FROM waiting_conversations w
                WHERE w.tenant_id = $1 AND w.queue > first_ones.queue)
            FROM first_ones WHERE first_ones.queue IS NOT NULL)
        SELECT queue FROM first_ones WHERE queue IS NOT NULL";
    OLDEST = select!(
        WaitingRow,
        " FROM waiting_conversations WHERE tenant_id = $1 AND queue = $2 ORDER BY since, conversation_id LIMIT $3"
    );
    CONVERSATIONS_AFTER = select!(Conversation as "v",
        " FROM conversations v WHERE v.tenant_id = $1 AND v.id > $2 ORDER BY v.id LIMIT $3"
    );
    CONVERSATIONS_OF = select!(Conversation as "v",
        " FROM {sqlite json_each($2) listed CROSS JOIN conversations v
             ON v.tenant_id = $1 AND v.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN conversations v ON v.tenant_id = $1 AND v.id = decode(listed.value, 'hex')}"
    );
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRow {
    pub conversation_id: ConversationId,
    pub queue: WaitingQueue,
    /// Whether the rules decided what it waits for. False: somebody assigned it to the team.
    pub by_rule: bool,
    /// When its ticket was opened.
    pub since: Timestamp,
}

record! { WaitingRow { conversation_id, queue, by_rule, since } }

pub async fn save(tx: &mut Tx<'_>, tenant: TenantId, row: &WaitingRow) -> Result<()> {
    tx.execute(&SAVE, &Params::for_tenant(tenant).and(row)).await.map(drop)
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: ConversationId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// The rows of those of these conversations that wait, in any order.
pub async fn of(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ConversationId]) -> Result<Vec<WaitingRow>> {
    tx.rows(&OF, params![tenant, &listed(ids)], read).await
}

/// Rows in the order of the conversations' ids.
pub async fn after(tx: &mut Tx<'_>, tenant: TenantId, id: ConversationId, limit: i64) -> Result<Vec<WaitingRow>> {
    tx.rows(&AFTER, params![tenant, id, limit], read).await
}

/// The queues that have conversations.
pub async fn queues(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<WaitingQueue>> {
    tx.rows(&QUEUES, params![tenant], read).await
}

/// The conversations of a queue that have waited longest.
pub async fn oldest(tx: &mut Tx<'_>, tenant: TenantId, queue: &WaitingQueue, limit: i64) -> Result<Vec<WaitingRow>> {
    tx.rows(&OLDEST, params![tenant, &domain::to_json(queue), limit], read).await
}

/// Conversations, waiting or not, in the order of their ids.
pub async fn conversations_after(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ConversationId,
    limit: i64,
) -> Result<Vec<Conversation>> {
    tx.rows(&CONVERSATIONS_AFTER, params![tenant, id, limit], read).await
}

/// Those of these conversations that exist, in any order. Takes no lock.
pub async fn conversations_of(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ConversationId]) -> Result<Vec<Conversation>> {
    tx.rows(&CONVERSATIONS_OF, params![tenant, &listed(ids)], read).await
}
