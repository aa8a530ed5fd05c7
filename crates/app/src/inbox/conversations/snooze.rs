//! Snoozing: a conversation is set aside until a time, or until the person writes.
//!
//! A snooze sets a timer (`App::fire_timers`). The transaction that takes the timer locks the conversation and checks it
//! again: one that has woken already, or was snoozed again, is left alone.

use domain::base::timers::TimerKind;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::MessageOperator;
use domain::messaging::ticket_change::TicketChange;
use domain::{ConversationId, Field, TenantId, Timestamp};
use store::Tx;
use store::base::timers::DueTimer;

use super::{Conversations, author};
use crate::inbox::Inbox;
use crate::messaging::conversations::NO_CONVERSATION;
use crate::messaging::conversations::emit::emit_conversation;
use crate::messaging::conversations::record::add_ticket_row;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result};

/// The longest snooze.
const MAX_SNOOZE_SECONDS: i64 = 366 * 86_400;

#[derive(Debug)]
struct SnoozeRequest {
    tenant: TenantId,
    id: ConversationId,
    until: Option<Timestamp>,
    author: Option<MessageOperator>,
    now: Timestamp,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Sets a conversation aside until a time; None ends the snooze. Repeating the present time changes nothing. Only
    /// an open or pending conversation can be snoozed.
    pub async fn snooze(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        until: Option<Timestamp>,
    ) -> Result<Conversation> {
        let (tenant, now) = (caller.tenant(), self.0.now());
        if until.is_some_and(|until| until <= now || until > now.plus_seconds(MAX_SNOOZE_SECONDS)) {
            return Err(Error::invalid(Field::Until, "expected a time in the next 366 days"));
        }
        let id = find_conversation(self.0.db(), tenant, target).await?.id;
        let change = SnoozeRequest { tenant, id, until, author: author(caller), now };
        self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await
    }
}

async fn set(tx: &mut Tx<'_>, change: &SnoozeRequest) -> Result<Conversation> {
    let SnoozeRequest { tenant, id, until, author, now } = change;
    let mut conversation =
        store::messaging::conversations::for_update(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    if until.is_some() && !conversation.is_active() {
        return Err(Error::conflict(Field::Target, "only an open or pending conversation can be snoozed"));
    }
    if !conversation.set_snooze(*until, *now) {
        return Ok(conversation);
    }
    store::messaging::conversations::update(tx, *tenant, &conversation).await?;
    if let Some(until) = conversation.snoozed_until {
        store::base::timers::set(tx, *tenant, TimerKind::Snooze, *id, until).await?;
    }
    let ticket_change = until.map_or(TicketChange::Unsnoozed, |until| TicketChange::Snoozed { until });
    add_ticket_row(tx, *tenant, &conversation, &ticket_change, author.clone(), *now).await?;
    emit_conversation(tx, *tenant, &conversation, author.as_ref(), *now).await?;
    Ok(conversation)
}

#[boxed::futures]
impl Inbox {
    /// Ends the snooze whose timer is due.
    pub async fn end_snooze(&self, timer: DueTimer) -> Result<()> {
        self.db().write((timer, self.now()), |tx, (timer, now)| Box::pin(end(tx, timer, *now))).await
    }
}

async fn end(tx: &mut Tx<'_>, timer: &DueTimer, now: Timestamp) -> Result<()> {
    let tenant = timer.tenant;
    let id = timer.id().filter(|_| timer.due_at <= now);
    let (Some(id), true) = (id, store::base::timers::take(tx, timer).await?) else { return Ok(()) };
    let Some(mut conversation) = store::messaging::conversations::for_update(tx, tenant, id).await? else {
        return Ok(());
    };
    if conversation.snoozed_until.is_none_or(|until| until > now) || !conversation.set_snooze(None, now) {
        return Ok(());
    }
    store::messaging::conversations::update(tx, tenant, &conversation).await?;
    add_ticket_row(tx, tenant, &conversation, &TicketChange::SnoozeOver, None, now).await?;
    emit_conversation(tx, tenant, &conversation, None, now).await
}
