//! Sends a completed broadcast again to those whom the network held back: messages that failed with 131049, which the
//! network gives where a person got enough marketing messages for now.
//!
//! The first round is sent at once. Until the deadline, a further round follows a day after each one, to those whom the
//! network held back again (`send_due_retry`, when the timer of the round before is due). Each round is a broadcast of its own. Its id
//! follows from that of the one before, so a broadcast is retried once; `broadcast_retries` has the last round. The
//! transaction that writes a round deletes the row of the one before: of two nodes one sends it, and after a crash it
//! is sent or still due. A round that cannot be sent (the template or channel is gone) ends the retries.

use domain::messaging::broadcasts::{Broadcast, BroadcastStatus};
use domain::messaging::messages::{MessageSource, MessageState};
use domain::{BroadcastId, Field, Id, TenantId, Timestamp};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::base::timers::DueTimer;
use store::messaging::broadcasts::{BroadcastRetry, MessageRecipient};

use super::{BroadcastDetails, Broadcasts};
use crate::messaging::Messaging;
use crate::messaging::messages::{
    MAX_RECIPIENTS, SendFields, TemplateJob, TemplateRecipient, TemplateSend, insert_template_messages,
};
use crate::{ActsFor, Command, Error, Result};

/// The network's code for a person who got enough marketing messages for now.
const HELD_BACK: i64 = 131_049;
const MAX_DAYS: i64 = 7;
const DAY_SECONDS: i64 = 86_400;
/// If a round is still being sent when the next one is due, the next one is postponed by this time.
const POSTPONE_SECONDS: i64 = 3600;

/// Until when a broadcast is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDeadline {
    /// Days after the end of the broadcast, which is when its last message left.
    Days(i64),
    At(Timestamp),
}

/// A round to write.
#[derive(Debug)]
struct RetryJob {
    tenant: TenantId,
    /// The round before, whose row of `broadcast_retries` this one replaces. None for the first round.
    replaces: Option<BroadcastId>,
    next: BroadcastRetry,
    job: TemplateJob,
}

#[boxed::futures]
impl Broadcasts<'_> {
    /// Writes the first round and returns the id of its broadcast.
    pub async fn retry(&self, caller: &dyn ActsFor, id: BroadcastId, deadline: RetryDeadline) -> Result<BroadcastId> {
        let BroadcastDetails { view, .. } = self.find(caller, id).await?;
        if !is_completed(view.status) {
            let message = format!("the broadcast is {}; only a completed one can be retried", view.status);
            return Err(Error::conflict(Field::Id, message));
        }
        let earlier = self.messages_of(caller.tenant(), id).await?;
        let ended = earlier.iter().map(|one| one.created_at).fold(view.last_updated, Timestamp::max);
        let (until, now) = (deadline.after(ended), self.0.now());
        if until <= now || until > ended.plus_seconds(MAX_DAYS * DAY_SECONDS) {
            let ended = ended.to_rfc3339();
            let message = format!("expected a time between now and {MAX_DAYS} days after the broadcast ended, {ended}");
            return Err(Error::invalid(deadline.field(), message));
        }
        let Some(job) = self.next_round(caller, &view.broadcast, earlier, until)? else {
            return Err(Error::conflict(Field::Id, format!("no recipient failed with {HELD_BACK}")));
        };
        let retry = job.next.broadcast_id;
        self.0.db().write(job, |tx, job| Box::pin(write(tx, job))).await?;
        self.0.wake_sender(caller.tenant());
        Ok(retry)
    }

    async fn messages_of(&self, tenant: TenantId, id: BroadcastId) -> Result<Vec<MessageRecipient>> {
        let most = i64::try_from(MAX_RECIPIENTS).unwrap_or(i64::MAX);
        Ok(store::messaging::broadcasts::recipients(self.0.db(), tenant, id, most, 0).await?)
    }

    /// Builds the next round; none when no recipient was held back.
    fn next_round(
        &self,
        caller: &dyn ActsFor,
        last: &Broadcast,
        earlier: Vec<MessageRecipient>,
        until: Timestamp,
    ) -> Result<Option<RetryJob>> {
        let recipients: Vec<TemplateRecipient> = earlier.into_iter().filter_map(recipient).collect();
        if recipients.is_empty() {
            return Ok(None);
        }
        let broadcast_id = retry_id(last);
        let job = self.0.messages().template_job(caller, send(last, recipients), None)?.retrying(broadcast_id, until);
        let due_at = self.0.now().plus_seconds(DAY_SECONDS);
        let next = BroadcastRetry { broadcast_id, until, due_at };
        Ok(Some(RetryJob { tenant: caller.tenant(), replaces: None, next, job }))
    }
}

#[boxed::futures]
impl Messaging {
    /// Sends the round whose timer is due. If it cannot be sent, ends the retries.
    pub async fn send_due_retry(&self, timer: DueTimer) -> Result<()> {
        let (tenant, id) = (timer.tenant, timer.id());
        let due = match id {
            Some(id) => store::messaging::broadcasts::find_retry(self.db(), tenant, id).await?,
            None => None,
        };
        let Some(due) = due else { return self.drop_timer(timer).await };
        match self.send_round(tenant, due).await {
            Ok(()) => Ok(()),
            Err(Error::Store(error)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(%tenant, broadcast = %due.broadcast_id, %error, "a broadcast is not retried any longer");
                self.end_retries(tenant, due.broadcast_id).await
            }
        }?;
        // A postponed round has set the timer anew, and keeps it.
        self.drop_timer(timer).await
    }

    async fn drop_timer(&self, timer: DueTimer) -> Result<()> {
        let take = self.db().write(timer, |tx, timer| Box::pin(store::base::timers::take(tx, timer)));
        Ok(take.await.map(drop)?)
    }

    async fn send_round(&self, tenant: TenantId, due: BroadcastRetry) -> Result<()> {
        let (caller, id, now) = (Command(tenant), due.broadcast_id, self.now());
        let view = self.broadcasts().find(&caller, id).await?.view;
        if now >= due.until || view.status == BroadcastStatus::Canceled {
            return self.end_retries(tenant, id).await;
        }
        if !is_completed(view.status) {
            let later = (tenant, id, now.plus_seconds(POSTPONE_SECONDS));
            let postpone = self.db().write(later, |tx, (tenant, id, at)| {
                Box::pin(store::messaging::broadcasts::postpone_retry(tx, *tenant, *id, *at))
            });
            return Ok(postpone.await?);
        }
        let earlier = self.broadcasts().messages_of(tenant, id).await?;
        let Some(round) = self.broadcasts().next_round(&caller, &view.broadcast, earlier, due.until)? else {
            return self.end_retries(tenant, id).await;
        };
        let round = RetryJob { replaces: Some(id), job: round.job.by(view.broadcast.operator.clone()), ..round };
        self.db().write(round, |tx, round| Box::pin(write(tx, round))).await?;
        self.wake_sender(tenant);
        Ok(())
    }

    async fn end_retries(&self, tenant: TenantId, id: BroadcastId) -> Result<()> {
        let ended = (tenant, id);
        let delete = self
            .db()
            .write(ended, |tx, (tenant, id)| Box::pin(store::messaging::broadcasts::delete_retry(tx, *tenant, *id)));
        delete.await?;
        Ok(())
    }
}

async fn write(tx: &mut Tx<'_>, round: &RetryJob) -> Result<()> {
    let RetryJob { tenant, replaces, next, job } = round;
    if let Some(last) = replaces
        && !store::messaging::broadcasts::delete_retry(tx, *tenant, *last).await?
    {
        // Another node has sent this round.
        return Ok(());
    }
    if store::messaging::broadcasts::by_id_for_update(tx, *tenant, next.broadcast_id).await?.is_some() {
        return Err(Error::conflict(Field::Id, format!("the broadcast was already retried as {}", next.broadcast_id)));
    }
    insert_template_messages(tx, job).await?;
    if next.due_at < next.until {
        store::messaging::broadcasts::add_retry(tx, *tenant, next).await?;
    }
    Ok(())
}

impl RetryDeadline {
    fn after(self, ended: Timestamp) -> Timestamp {
        match self {
            Self::Days(days) => ended.plus_seconds(days.saturating_mul(DAY_SECONDS)),
            Self::At(time) => time,
        }
    }

    const fn field(self) -> Field {
        match self {
            Self::Days(_) => Field::Days,
            Self::At(_) => Field::Until,
        }
    }
}

const fn is_completed(status: BroadcastStatus) -> bool {
    matches!(status, BroadcastStatus::Sent | BroadcastStatus::Failed)
}

/// Builds a recipient of the next round. None for a recipient whom the network did not hold back, or whose contact was
/// deleted.
fn recipient(one: MessageRecipient) -> Option<TemplateRecipient> {
    let is_held_back = one.state == MessageState::Failed && one.error?.code == Some(HELD_BACK);
    let contact = one.contact_id.filter(|_| is_held_back && one.contact.is_some())?;
    Some(TemplateRecipient {
        target: contact.to_string(),
        named_by: Field::Target,
        local_id: None,
        params: one.params.unwrap_or_default().0,
    })
}

fn send(broadcast: &Broadcast, recipients: Vec<TemplateRecipient>) -> TemplateSend {
    TemplateSend {
        channel: Some(broadcast.channel_id.to_string()),
        template: broadcast.template_id.to_string(),
        language: None,
        broadcast_name: broadcast.name.clone(),
        recipients,
        scheduled_at: None,
        source: MessageSource::Api,
        dry_run: false,
        fields: SendFields { channel: Field::Id, template: Field::Id, broadcast_name: Field::Id },
    }
}

fn retry_id(broadcast: &Broadcast) -> BroadcastId {
    let hash = Sha256::new().chain_update(b"retry").chain_update(broadcast.id.bytes()).finalize();
    let entropy = hash.iter().take(8).fold(0, |entropy, byte| (entropy << 8) | u64::from(*byte));
    Id::seeded(broadcast.created_at, entropy)
}
