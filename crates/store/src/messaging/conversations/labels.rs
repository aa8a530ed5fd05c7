//! The index of labelled conversations. A conversation's row has its labels; the table `conversation_labels` repeats
//! them with status and time of the last message, so that a label's conversations are read in their order.

use domain::messaging::conversations::Conversation;
use domain::{ConversationId, TenantId, Timestamp};

use crate::base::columns::listed;
use crate::{Param, Result, Tx, params};

statements! {
    ADD = "INSERT INTO conversation_labels (tenant_id, conversation_id, label_id, status, last_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    CLEAR = "DELETE FROM conversation_labels WHERE tenant_id = $1 AND conversation_id = $2";
    UPDATE = "UPDATE conversation_labels SET status = $3, last_at = $4 WHERE tenant_id = $1 AND conversation_id = $2";
    /// One statement for all conversations of a broadcast: few of them have labels.
    TOUCH =
        "UPDATE conversation_labels SET last_at = $3 WHERE tenant_id = $1 AND last_at < $3 AND conversation_id IN (
             SELECT {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')} FROM
             {sqlite json_each($2) listed}
             {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)})";
}

/// Replaces the conversation's entries in the index of labels.
pub(super) async fn replace(tx: &mut Tx<'_>, tenant: TenantId, changed: &Conversation) -> Result<()> {
    tx.execute(&CLEAR, params![tenant, changed.id]).await?;
    let (status, last_at) = (changed.status.name(), changed.last_at);
    let row = |label: &domain::LabelId| {
        [Param::from(tenant), changed.id.into(), (*label).into(), status.into(), last_at.into()]
    };
    tx.execute_many(&ADD, changed.labels.iter().map(row)).await.map(drop)
}

/// Copies status and time of the last message to the conversation's entries in the index of labels. Runs no statement
/// for a conversation without labels.
pub(super) async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Conversation) -> Result<()> {
    if changed.labels.is_empty() {
        return Ok(());
    }
    tx.execute(&UPDATE, params![tenant, changed.id, changed.status.name(), changed.last_at]).await.map(drop)
}

/// Sets the time of the last message in the index of labels, for all conversations to the latest of the given times: a
/// broadcast touches all of them at the same time.
pub(super) async fn touch(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    touched: &[(ConversationId, Timestamp, String)],
) -> Result<()> {
    let Some(at) = touched.iter().map(|(_, at, _)| *at).max() else { return Ok(()) };
    let ids: Vec<ConversationId> = touched.iter().map(|(id, _, _)| *id).collect();
    tx.execute(&TOUCH, params![tenant, &listed(&ids), at]).await.map(drop)
}

/// Deletes a conversation's entries from the index of labels.
pub(super) async fn clear(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    tx.execute(&CLEAR, params![tenant, conversation]).await.map(drop)
}
