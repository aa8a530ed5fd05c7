//! Sets the status of a conversation. The last request wins; repeating the present status changes nothing. The status
//! `blocked` also blocks the contact on all channels. A conversation that leaves this status unblocks the contact,
//! unless the contact was blocked by a consent decision or another conversation of the contact is still blocked. Both
//! the block and its end are entries in the contact's history.

use domain::messaging::conversations::{Conversation, ConversationStatus};
use domain::messaging::messages::MessageOperator;
use domain::messaging::ticket_change::TicketChange;
use domain::people::contacts::{ConsentChange, Contact};
use domain::{ConversationId, TenantId, Timestamp};
use store::Tx;

use super::{Conversations, author};
use crate::messaging::conversations::NO_CONVERSATION;
use crate::messaging::conversations::emit::emit_conversation;
use crate::messaging::conversations::record::add_ticket_row;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Result};

/// Changes in the contact's history, and their source.
const BLOCK: &str = "block";
const UNBLOCK: &str = "unblock";
const SOURCE: &str = "status of the conversation";

#[derive(Debug)]
struct StatusRequest {
    tenant: TenantId,
    id: ConversationId,
    status: ConversationStatus,
    author: Option<MessageOperator>,
    now: Timestamp,
}

#[boxed::futures]
impl Conversations<'_> {
    pub async fn set_status(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        status: ConversationStatus,
    ) -> Result<Conversation> {
        let tenant = caller.tenant();
        let id = find_conversation(self.0.db(), tenant, target).await?.id;
        let change = StatusRequest { tenant, id, status, author: author(caller), now: self.0.now() };
        self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await
    }
}

async fn set(tx: &mut Tx<'_>, change: &StatusRequest) -> Result<Conversation> {
    let StatusRequest { tenant, id, status, author, now } = change;
    let mut conversation =
        store::messaging::conversations::for_update(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    let was = conversation.status;
    if !conversation.set_status(*status, *now) {
        return Ok(conversation);
    }
    store::messaging::conversations::update(tx, *tenant, &conversation).await?;
    if [was, *status].contains(&ConversationStatus::Blocked) {
        follow_block(tx, *tenant, &conversation, now.to_millis()).await?;
    }
    add_ticket_row(tx, *tenant, &conversation, &TicketChange::from(*status), author.clone(), *now).await?;
    emit_conversation(tx, *tenant, &conversation, author.as_ref(), *now).await?;
    Ok(conversation)
}

/// Blocks or unblocks the contact after its conversation has become blocked, or is no longer blocked.
async fn follow_block(tx: &mut Tx<'_>, tenant: TenantId, conversation: &Conversation, now: Timestamp) -> Result<()> {
    let Some(known) = store::people::contacts::for_update(tx, tenant, conversation.contact_id).await? else {
        return Ok(());
    };
    let is_blocked = conversation.status == ConversationStatus::Blocked;
    if known.blocked_at.is_some() == is_blocked || (!is_blocked && stays_blocked(tx, tenant, &known).await?) {
        return Ok(());
    }
    let changed = Contact { blocked_at: is_blocked.then_some(now), updated_at: now, ..known.clone() };
    store::people::contacts::update(tx, tenant, &known, &changed).await?;
    let change = if is_blocked { BLOCK } else { UNBLOCK };
    let entry = ConsentChange { at: now, change: change.to_owned(), source: SOURCE.to_owned() };
    Ok(store::people::contacts::add_consent(tx, tenant, known.id, &entry).await?)
}

/// Whether the contact is blocked for another reason than the conversation that was unblocked. A block without an entry
/// in the history comes from an earlier version, in which the status of a conversation left no entry.
async fn stays_blocked(tx: &mut Tx<'_>, tenant: TenantId, contact: &Contact) -> Result<bool> {
    let history = crate::people::contacts::consents(tx, tenant, contact.id).await?;
    let last = history.iter().rfind(|entry| [BLOCK, UNBLOCK].contains(&entry.change.as_str()));
    if last.is_some_and(|entry| entry.change == BLOCK && entry.source != SOURCE) {
        return Ok(true);
    }
    let conversations = store::messaging::conversations::of_contact_in(tx, tenant, contact.id).await?;
    Ok(conversations.iter().any(|one| one.status == ConversationStatus::Blocked))
}
