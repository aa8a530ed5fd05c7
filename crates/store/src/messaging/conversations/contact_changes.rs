//! Moving conversations between merged contacts, and erasing those of deleted ones.

use const_format::concatcp;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::MessageState;
use domain::{ContactId, ConversationId, MediaId, MessageId, TenantId, Timestamp};

use super::rows::{REMOVE, remove, set_labels};
use super::{labels, reads};
use crate::base::columns::state_names;
use crate::messaging::messages::terms;
use crate::{Result, Tx, params, read};

const WAITING_STATES: &str = state_names!(MessageState::WAITING; 0 1);

statements! {
    REASSIGN_MESSAGES = "UPDATE messages SET contact_id = $3 WHERE tenant_id = $1 AND conversation_id = $2";
    REASSIGN_OUTBOX = concatcp!(
        "UPDATE outbox SET contact_id = $3 WHERE tenant_id = $1 AND id IN (
         SELECT m.id FROM messages m
         WHERE m.tenant_id = $1 AND m.conversation_id = $2 AND m.state IN (",
        WAITING_STATES,
        "))"
    );
    /// Runs before `STOP_MESSAGES`, which stops only messages without an outbox row: a message that a sender has
    /// claimed keeps its row and its state.
    REMOVE_FROM_OUTBOX = concatcp!(
        "DELETE FROM outbox WHERE tenant_id = $1 AND taken_by IS NULL AND id IN (
         SELECT m.id FROM messages m
         WHERE m.tenant_id = $1 AND m.conversation_id = $2 AND m.state IN (",
        WAITING_STATES,
        "))"
    );
    STOP_MESSAGES = concatcp!(
        "UPDATE messages SET state = 'stopped' WHERE tenant_id = $1 AND conversation_id = $2 AND state IN (",
        WAITING_STATES,
        ")
     AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = $1 AND o.id = messages.id)"
    );
    ERASE_TICKETS =
        "DELETE FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND event IN ('ticket', 'note')";
    FILES = "SELECT media_id FROM messages {indexed_by messages_conversation}
        WHERE tenant_id = $1 AND conversation_id = $2 AND media_id IS NOT NULL";
    FILES_UNATTACHED = "SELECT media_id FROM messages {indexed_by messages_conversation}
        WHERE tenant_id = $1 AND conversation_id IS NULL AND contact_id = $2 AND media_id IS NOT NULL";
    TEXTS = "SELECT id, created_at, sent_at, text FROM messages
        WHERE tenant_id = $1 AND conversation_id = $2 AND text IS NOT NULL";
    ERASE = "UPDATE messages SET text = NULL, content = NULL, params = NULL, media_id = NULL, error = NULL,
            conversation_id = NULL, ticket_id = NULL
        WHERE tenant_id = $1 AND conversation_id = $2";
    /// Erases messages without a conversation: older than conversations, or known from statuses only.
    ERASE_UNATTACHED = "UPDATE messages SET text = NULL, content = NULL, params = NULL, media_id = NULL, error = NULL
        WHERE tenant_id = $1 AND conversation_id IS NULL AND contact_id = $2
        AND (text IS NOT NULL OR content IS NOT NULL OR params IS NOT NULL OR media_id IS NOT NULL
            OR error IS NOT NULL)";
}

/// Reassigns all messages of a conversation to this contact, including those in the outbox.
pub async fn reassign(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: ConversationId,
    contact: ContactId,
) -> Result<()> {
    tx.execute(&REASSIGN_OUTBOX, params![tenant, conversation, contact]).await?;
    tx.execute(&REASSIGN_MESSAGES, params![tenant, conversation, contact]).await.map(drop)
}

/// Stops the waiting messages that no sender has claimed, erases the content and search terms of all messages, and deletes the tickets,
/// the notes and the conversation. Direction, state and times of the messages stay, for statistics.
pub async fn erase(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    erase_terms(tx, tenant, conversation).await?;
    for statement in [&REMOVE_FROM_OUTBOX, &STOP_MESSAGES, &ERASE_TICKETS, &ERASE, &REMOVE] {
        tx.execute(statement, params![tenant, conversation]).await?;
    }
    labels::clear(tx, tenant, conversation).await?;
    reads::clear(tx, tenant, conversation).await
}

/// The files of a conversation's messages.
pub async fn files(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<Vec<MediaId>> {
    tx.rows(&FILES, params![tenant, conversation], read).await
}

/// The files of a contact's messages that belong to no conversation.
pub async fn unattached_files(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<MediaId>> {
    tx.rows(&FILES_UNATTACHED, params![tenant, contact], read).await
}

async fn erase_terms(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    type Erased = (MessageId, Timestamp, Option<Timestamp>, String);
    let erased: Vec<Erased> = tx.rows(&TEXTS, params![tenant, conversation], read).await?;
    for (id, created, sent, text) in &erased {
        let last = sent.map_or(*created, |sent| sent.max(*created));
        terms::remove(tx, tenant, *id, *created, last, &domain::messaging::messages::search::message_terms(text))
            .await?;
    }
    Ok(())
}

/// Joins the conversation `from` into `joined`, in which the caller has combined the state of both: adds up what
/// operators have seen, writes `joined` with its labels, and removes `from`. The caller has moved the messages of
/// `from` before.
pub async fn join_into(tx: &mut Tx<'_>, tenant: TenantId, from: ConversationId, joined: &Conversation) -> Result<()> {
    reads::merge(tx, tenant, from, joined.id).await?;
    reads::clear(tx, tenant, from).await?;
    labels::clear(tx, tenant, from).await?;
    set_labels(tx, tenant, joined).await?;
    remove(tx, tenant, from).await
}

/// Erases the content of a contact's messages that belong to no conversation.
pub async fn erase_unattached(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<()> {
    tx.execute(&ERASE_UNATTACHED, params![tenant, contact]).await.map(drop)
}
