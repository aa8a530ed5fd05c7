//! Snoozing: a conversation is set aside until a time, or until the person writes.
//!
//! The worker `snoozes` of every node wakes conversations whose time has come (`Inbox::wake_snoozed`). Each is woken in one
//! transaction that locks and checks the row again: a conversation that another node woke, or that was snoozed again, is
//! left alone. After a crash the next round of any node finds what is still due.

use std::time::Duration;

use domain::messaging::conversations::Conversation;
use domain::messaging::messages::MessageOperator;
use domain::messaging::ticket_change::TicketChange;
use domain::{ConversationId, Field, TenantId, Timestamp};
use store::Tx;

use super::{Conversations, author};
use crate::inbox::Inbox;
use crate::messaging::conversations::NO_CONVERSATION;
use crate::messaging::conversations::emit::emit_conversation;
use crate::messaging::conversations::record::add_ticket_row;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result};

/// The longest snooze.
const MAX_SNOOZE_SECONDS: i64 = 366 * 86_400;
/// Most conversations read at once; the next batch follows at once.
const BATCH: i64 = 100;

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
        let conversation = self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await?;
        self.0.snooze_wakeup().wake();
        Ok(conversation)
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
    let ticket_change = until.map_or(TicketChange::Unsnoozed, |until| TicketChange::Snoozed { until });
    add_ticket_row(tx, *tenant, &conversation, &ticket_change, author.clone(), *now).await?;
    emit_conversation(tx, *tenant, &conversation, author.as_ref(), *now).await?;
    Ok(conversation)
}

#[boxed::futures]
impl Inbox {
    /// Waits until this process has snoozed a conversation.
    pub async fn snooze_set(&self) {
        self.snooze_wakeup().woken().await;
    }

    /// Wakes the conversations whose snooze is over. False if no snooze ends within `ahead`.
    pub async fn wake_snoozed(&self, ahead: Duration) -> Result<bool> {
        let now = self.now();
        let soon = now.plus_seconds(ahead.as_secs().cast_signed());
        if store::inbox::snoozes::due_to_wake(self.db(), soon, 1).await?.is_empty() {
            return Ok(false);
        }
        loop {
            let due = store::inbox::snoozes::due_to_wake(self.db(), now, BATCH).await?;
            for (tenant, id) in &due {
                self.db().write((*tenant, *id, now), |tx, due| Box::pin(wake(tx, *due))).await?;
            }
            if i64::try_from(due.len()).is_ok_and(|count| count < BATCH) {
                return Ok(true);
            }
        }
    }
}

async fn wake(tx: &mut Tx<'_>, (tenant, id, now): (TenantId, ConversationId, Timestamp)) -> Result<()> {
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
