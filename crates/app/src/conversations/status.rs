//! Opening, solving, parking and blocking a conversation. Whoever speaks last is right; saying it again changes nothing.

use domain::conversations::{Conversation, Status};
use domain::messages::MessageOperator;
use domain::{ContactId, ConversationId, TenantId, Timestamp};
use store::Tx;

use super::events::note;
use super::target::existing;
use super::{Conversations, NO_CONVERSATION, operator};
use crate::{ActsFor, Result};

#[derive(Debug)]
struct Change {
    tenant: TenantId,
    id: ConversationId,
    status: Status,
    operator: Option<MessageOperator>,
    now: Timestamp,
}

impl Conversations<'_> {
    pub async fn set_status(
        &self,
        caller: &impl ActsFor,
        target: &str,
        member: &str,
        status: Status,
    ) -> Result<Conversation> {
        let tenant = caller.tenant();
        let id = existing(self.0.db(), tenant, target, member).await?.id;
        let change = Change { tenant, id, status, operator: operator(caller), now: self.0.now() };
        self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await
    }
}

async fn set(tx: &mut Tx<'_>, change: &Change) -> Result<Conversation> {
    let Change { tenant, id, status, operator, now } = change;
    let mut conversation = store::conversations::held(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    if !conversation.set_status(*status, *now) {
        return Ok(conversation);
    }
    store::conversations::update(tx, *tenant, &conversation).await?;
    block(tx, *tenant, conversation.contact_id, *status == Status::Blocked, *now).await?;
    note(tx, *tenant, &conversation, told(*status), operator.clone(), *now).await?;
    Ok(conversation)
}

/// Whoever is blocked in one conversation is written to in none.
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

const fn told(status: Status) -> &'static str {
    match status {
        Status::Open => "The ticket was opened again",
        Status::Solved => "The ticket was solved",
        Status::Pending => "The ticket was set to pending",
        Status::Blocked => "The conversation was blocked",
    }
}
