//! What happens to conversations when their contacts are merged or deleted: everything in them follows, or is erased.

use domain::{ContactId, ConversationId, TenantId};

use crate::{Result, Statement, Tx, params};

static MESSAGES: Statement = Statement::new(
    "conversations.give_messages",
    "UPDATE messages SET contact_id = $3 WHERE tenant_id = $1 AND conversation_id = $2",
);
static WAITING: Statement = Statement::new(
    "conversations.give_waiting",
    "UPDATE outbox SET contact_id = $3 WHERE tenant_id = $1 AND id IN (
         SELECT m.id FROM messages m
         WHERE m.tenant_id = $1 AND m.conversation_id = $2 AND m.state IN ('accepted', 'queued'))",
);
/// First out of the outbox, so that nobody takes what is then called stopped.
static STOP: Statement = Statement::new(
    "conversations.stop",
    "DELETE FROM outbox WHERE tenant_id = $1 AND taken_by IS NULL AND id IN (
         SELECT m.id FROM messages m
         WHERE m.tenant_id = $1 AND m.conversation_id = $2 AND m.state IN ('accepted', 'queued'))",
);
static STOP_MESSAGES: Statement = Statement::new(
    "conversations.stop_messages",
    "UPDATE messages SET state = 'stopped' WHERE tenant_id = $1 AND conversation_id = $2 AND state IN ('accepted', 'queued')
     AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = $1 AND o.id = messages.id)",
);
static TICKETS: Statement = Statement::new(
    "conversations.erase_tickets",
    "DELETE FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND event = 'ticket'",
);
static ERASE: Statement = Statement::new(
    "conversations.erase",
    "UPDATE messages SET text = NULL, content = NULL, params = NULL, media_id = NULL, error = NULL, conversation_id = NULL,
         ticket_id = NULL
     WHERE tenant_id = $1 AND conversation_id = $2",
);
/// Messages from before there were conversations, and those that only reports told of.
static ERASE_LOOSE: Statement = Statement::new(
    "conversations.erase_loose",
    "UPDATE messages SET text = NULL, content = NULL, params = NULL, media_id = NULL, error = NULL
     WHERE tenant_id = $1 AND conversation_id IS NULL AND contact_id = $2
     AND (text IS NOT NULL OR content IS NOT NULL OR params IS NOT NULL OR media_id IS NOT NULL OR error IS NOT NULL)",
);

pub(super) static STATEMENTS: &[&Statement] =
    &[&MESSAGES, &WAITING, &STOP_MESSAGES, &STOP, &TICKETS, &ERASE, &ERASE_LOOSE];

/// All of a conversation is with this contact now, what waits to be sent among it.
pub async fn give(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId, contact: ContactId) -> Result<()> {
    tx.execute(&WAITING, params![tenant, conversation, contact]).await?;
    tx.execute(&MESSAGES, params![tenant, conversation, contact]).await.map(drop)
}

/// What waits is stopped; what was said is gone, and that something was said at what time stays for whoever counts it.
pub async fn erase(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    for statement in [&STOP, &STOP_MESSAGES, &TICKETS, &ERASE, &super::REMOVE] {
        tx.execute(statement, params![tenant, conversation]).await?;
    }
    Ok(())
}

/// The same of what belongs to a contact and to no conversation.
pub async fn erase_loose(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<()> {
    tx.execute(&ERASE_LOOSE, params![tenant, contact]).await.map(drop)
}
