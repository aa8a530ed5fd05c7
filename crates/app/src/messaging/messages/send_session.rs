//! Session messages (free messages): text, files and interactive messages to one person, within 24 hours of the
//! person's last message.

use channels::graph::Content;
use domain::messaging::messages::{
    Message, MessageDirection, MessageOperator, MessageSource, MessageState, Urgency, local_id,
};
use domain::{ChannelId, ContactId, Field, Id, MediaId, MessageId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::messaging::outbox::NewOutboxEntry;
use store::people::contacts::Addressee;

use super::recipients::network_recipient;
use super::{Messages, Refusal, Rollback, dry_run_as_done};
use crate::base::idempotency::{IdempotencyScope, save_outcome, saved_outcome};
use crate::messaging::conversations::{
    ConversationKey, ConversationTarget, ResolvedTarget, SeveralOpen, record_outbound, resolve_target,
};
use crate::{ActsFor, Cause, Error, Fault, Result, Thing};

#[derive(Debug, Clone)]
pub struct SessionSend {
    pub target: String,
    /// Name or number of the channel; used if the target does not begin with one.
    pub channel: Option<String>,
    pub body: SessionBody,
    /// Our id or the network's id of the message that this one replies to.
    pub reply_to: Option<String>,
    pub local_id: Option<String>,
    pub is_bot: bool,
    pub source: MessageSource,
    pub dry_run: bool,
    /// What happens to a target without a channel while several conversations are open.
    pub several: SeveralOpen,
}

/// The content of a free message.
#[derive(Debug, Clone)]
pub struct SessionBody {
    pub content: Content,
    /// The text of the message as a person reads it.
    pub text: Option<String>,
    /// The stored file that is sent with the message.
    pub media_id: Option<MediaId>,
}

impl SessionBody {
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { content: Content::text(text.clone()), text: Some(text), media_id: None }
    }
}

#[derive(Debug, Clone)]
pub struct AcceptedSessionMessage {
    pub message: Message,
    pub contact_id: ContactId,
}

/// What the transaction of a send needs.
#[derive(Debug)]
pub(crate) struct SessionJob {
    tenant: TenantId,
    send: SessionSend,
    target: String,
    content: String,
    operator: MessageOperator,
    scope: Option<IdempotencyScope>,
    now: Timestamp,
}

/// What the idempotency key stores; everything else of the answer is in the message's row.
#[derive(Debug, Serialize, Deserialize)]
struct StoredOutcome {
    message_id: MessageId,
}

#[boxed::futures]
impl Messages<'_> {
    pub async fn send(&self, caller: &dyn ActsFor, send: SessionSend) -> Result<AcceptedSessionMessage> {
        let job = self.session_job(caller, send)?;
        let is_due_now = !job.send.dry_run;
        let done = dry_run_as_done(self.0.db().write(job, |tx, job| Box::pin(accept(tx, job))).await)?;
        if is_due_now {
            self.0.wake_sender(caller.tenant());
        }
        Ok(done)
    }

    /// Builds what the transaction of the send needs. Checks everything that needs no read of the database.
    pub(crate) fn session_job(&self, caller: &dyn ActsFor, send: SessionSend) -> Result<SessionJob> {
        if let Some(local_id) = &send.local_id {
            local_id::check(local_id).map_err(|error| Error::invalid(Field::LocalMessageId, error))?;
        }
        let target = match &send.channel {
            Some(channel) if !send.target.contains(':') => format!("{channel}:{}", send.target),
            _ => send.target.clone(),
        };
        let content =
            serde_json::to_string(&send.body.content).map_err(|error| Error::invalid(Field::Content, error))?;
        let operator = MessageOperator { is_bot: send.is_bot, ..caller.operator(send.source) };
        let (tenant, scope, now) = (caller.tenant(), caller.idempotency_scope().cloned(), self.0.now());
        Ok(SessionJob { tenant, send, target, content, operator, scope, now })
    }
}

async fn accept(tx: &mut Tx<'_>, job: &SessionJob) -> Result<AcceptedSessionMessage, Rollback<AcceptedSessionMessage>> {
    if let Some(sent) = earlier_outcome(tx, job).await? {
        return Ok(sent);
    }
    let sent = insert_session_message(tx, job).await?;
    if let Some(scope) = &job.scope {
        let kept = domain::to_json(&StoredOutcome { message_id: sent.message.id });
        save_outcome(tx, scope, &kept).await?;
    }
    if job.send.dry_run {
        return Err(Rollback::DryRun(Box::new(sent)));
    }
    Ok(sent)
}

/// Writes the message with its outbox row, and records it in the conversation. Refused for an unknown or blocked
/// contact and when the window is closed. The caller owns the transaction and handles idempotency keys and dry runs.
pub(crate) async fn insert_session_message(tx: &mut Tx<'_>, job: &SessionJob) -> Result<AcceptedSessionMessage> {
    let target = ConversationTarget { text: &job.target, several: job.send.several };
    let ResolvedTarget { contact, channel, conversation, .. } = resolve_target(tx, job.tenant, target).await?;
    let window_until = conversation.map_or(Timestamp::from_micros(0), |one| one.window_until);
    let contact = contact.ok_or_else(window_closed)?;
    if contact.is_blocked {
        return Err(Error::refused(Cause::Send(Refusal::Blocked), Field::Target, Refusal::Blocked.text()));
    }
    if job.now >= window_until {
        return Err(window_closed());
    }
    let context_id = replied_network_id(tx, job, channel.id).await?;
    let key = ConversationKey { tenant: job.tenant, channel: channel.id, contact: contact.id };
    let conversation = record_outbound(tx, key, job.now, job.send.body.text.as_deref(), job.now).await?;
    let message = Message {
        contact_id: Some(contact.id),
        conversation_id: Some(conversation.id),
        ticket_id: Some(conversation.ticket_id),
        text: job.send.body.text.clone(),
        content: Some(job.content.clone()),
        context_id,
        local_id: job.send.local_id.clone(),
        media_id: job.send.body.media_id,
        operator: Some(job.operator.clone()),
        ..Message::bare(
            Id::new(job.now),
            channel.id,
            MessageDirection::Outbound,
            MessageState::Queued,
            job.send.body.content.kind(),
            job.now.to_millis(),
        )
    };
    insert_and_enqueue(tx, job, &contact, &message, window_until).await?;
    Ok(AcceptedSessionMessage { message, contact_id: contact.id })
}

/// The message that an earlier run of the same request wrote under the same idempotency key, if there is one.
async fn earlier_outcome(tx: &mut Tx<'_>, job: &SessionJob) -> Result<Option<AcceptedSessionMessage>> {
    let Some(scope) = &job.scope else { return Ok(None) };
    let Some(outcome) = saved_outcome(tx, scope).await? else { return Ok(None) };
    let kept = serde_json::from_str::<StoredOutcome>(&outcome).map_err(|_| Error::Fault(Fault::StoredOutcome))?;
    let message = store::messaging::messages::by_id_for_update(tx, job.tenant, kept.message_id)
        .await?
        .ok_or(Error::NotFound(Thing::Message))?;
    let contact_id = message.contact_id.ok_or(Error::NotFound(Thing::Contact))?;
    Ok(Some(AcceptedSessionMessage { message, contact_id }))
}

async fn insert_and_enqueue(
    tx: &mut Tx<'_>,
    job: &SessionJob,
    contact: &Addressee,
    message: &Message,
    window_until: Timestamp,
) -> Result<()> {
    store::messaging::messages::insert(tx, job.tenant, message).await?;
    let entry = NewOutboxEntry {
        channel_id: message.channel_id,
        priority: Urgency::Service.rank(),
        due_at: job.now,
        id: message.id,
        contact_id: contact.id,
        recipient: network_recipient(contact),
        template_id: None,
        expires_at: Urgency::Service.expires(job.now).min(window_until),
    };
    Ok(store::messaging::outbox::insert_many(tx, job.tenant, &[entry]).await?)
}

fn window_closed() -> Error {
    let message = "the person has not messaged you in the last 24 hours; send a template with \
                   POST /api/ext/v3/messageTemplates/send";
    Error::refused(Cause::Send(Refusal::WindowClosed), Field::Target, message)
}

/// Finds the network's id of the message that this one replies to. An error if there is no such message on this
/// channel.
async fn replied_network_id(tx: &mut Tx<'_>, job: &SessionJob, channel: ChannelId) -> Result<Option<String>> {
    let Some(text) = &job.send.reply_to else { return Ok(None) };
    let found = match text.parse::<MessageId>() {
        Ok(id) => store::messaging::messages::by_id_for_update(tx, job.tenant, id).await?,
        Err(_) => store::messaging::messages::by_network_id_for_update(tx, job.tenant, channel, text).await?,
    };
    let network_id = found.filter(|one| one.channel_id == channel).and_then(|one| one.network_id);
    let missing = || Error::missing(Field::ReplyContextId, Thing::Message);
    network_id.map(Some).ok_or_else(missing)
}
