//! Setting the status of a conversation. The last request wins; repeating the present status changes nothing. The
//! status `blocked` also blocks the contact, any other unblocks it.

use domain::conversations::{Conversation, ConversationStatus};
use domain::messages::MessageOperator;
use domain::{ContactId, ConversationId, TenantId, Timestamp};
use store::Tx;

use super::record::add_ticket_note;
use super::target::{ConversationTarget, find_conversation};
use super::{Conversations, NO_CONVERSATION, author};
use crate::{ActsFor, Result};

#[derive(Debug)]
struct StatusRequest {
    tenant: TenantId,
    id: ConversationId,
    status: ConversationStatus,
    author: Option<MessageOperator>,
    now: Timestamp,
}

impl Conversations<'_> {
    pub async fn set_status<'a>(
        &self,
        caller: &impl ActsFor,
        target: impl Into<ConversationTarget<'a>>,
        member: &str,
        status: ConversationStatus,
    ) -> Result<Conversation> {
        let tenant = caller.tenant();
        let id = find_conversation(self.0.db(), tenant, target.into(), member).await?.id;
        let change = StatusRequest { tenant, id, status, author: author(caller), now: self.0.now() };
        self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await
    }
}

async fn set(tx: &mut Tx<'_>, change: &StatusRequest) -> Result<Conversation> {
    let StatusRequest { tenant, id, status, author, now } = change;
    let mut conversation = store::conversations::for_update(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    if !conversation.set_status(*status, *now) {
        return Ok(conversation);
    }
    store::conversations::update(tx, *tenant, &conversation).await?;
    block(tx, *tenant, conversation.contact_id, *status == ConversationStatus::Blocked, *now).await?;
    add_ticket_note(tx, *tenant, &conversation, status_text(*status), author.clone(), *now).await?;
    Ok(conversation)
}

/// Blocking one conversation blocks the contact on all channels; any other new status unblocks the contact.
async fn block(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId, is_blocked: bool, now: Timestamp) -> Result<()> {
    let Some(known) = store::contacts::for_update(tx, tenant, contact).await? else { return Ok(()) };
    if known.blocked_at.is_some() == is_blocked {
        return Ok(());
    }
    let mut changed = known.clone();
    changed.blocked_at = is_blocked.then(|| now.to_millis());
    changed.updated_at = now.to_millis();
    Ok(store::contacts::update(tx, tenant, &known, &changed).await?)
}

const fn status_text(status: ConversationStatus) -> &'static str {
    match status {
        ConversationStatus::Open => "The ticket was opened again",
        ConversationStatus::Solved => "The ticket was solved",
        ConversationStatus::Pending => "The ticket was set to pending",
        ConversationStatus::Blocked => "The conversation was blocked",
    }
}
