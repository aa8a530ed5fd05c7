//! A free message to one person, in the window that the person's last message opened.

use channels::graph::Content;
use domain::messages::{Direction, MessageOperator, MessageSource, State, Urgency, local_id};
use domain::{ChannelId, ContactId, Id, MediaId, MessageId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::contacts::Addressee;
use store::messages::Message;
use store::outbox::Waiting;

use super::people::recipient;
use super::{Messages, Refusal, Stop, settled};
use crate::conversations::{Meant, Place, meant, opened};
use crate::idempotency::{Once, bind, bound};
use crate::{ActsFor, Cause, Error, Fault, Result, Thing};

#[derive(Debug, Clone)]
pub struct SessionSend {
    pub target: String,
    /// The wire's own name of the target's member, for errors.
    pub member: &'static str,
    /// Name or number, where the target does not have one in front.
    pub channel: Option<String>,
    pub body: SessionBody,
    /// Our id, or the network's, of the message that this one answers.
    pub reply_to: Option<String>,
    pub local_id: Option<String>,
    pub is_bot: bool,
    pub source: MessageSource,
    pub dry_run: bool,
}

/// What is said.
#[derive(Debug, Clone)]
pub struct SessionBody {
    pub content: Content,
    /// What a person would read of it.
    pub text: Option<String>,
    /// A file of ours that goes with it.
    pub media_id: Option<MediaId>,
}

impl SessionBody {
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { content: Content::text(text.clone()), text: Some(text), media_id: None }
    }
}

#[derive(Debug, Clone)]
pub struct SessionSent {
    pub message: Message,
    pub contact_id: ContactId,
}

/// Who and what, once it is known.
#[derive(Debug)]
pub(crate) struct Job {
    tenant: TenantId,
    send: SessionSend,
    target: String,
    content: String,
    operator: MessageOperator,
    once: Option<Once>,
    now: Timestamp,
}

/// What an idempotency key remembers: the rest lies in the message.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    message_id: MessageId,
}

impl Messages<'_> {
    pub async fn send(&self, caller: &impl ActsFor, send: SessionSend) -> Result<SessionSent> {
        let job = self.session(caller, send)?;
        let leaves_now = !job.send.dry_run;
        let done = settled(self.0.db().write(job, |tx, job| Box::pin(accept(tx, job))).await)?;
        if leaves_now {
            self.0.outbox_is_filled();
        }
        Ok(done)
    }

    /// All that the transaction of a send needs.
    pub(crate) fn session(&self, caller: &impl ActsFor, send: SessionSend) -> Result<Job> {
        if let Some(local_id) = &send.local_id {
            local_id::check(local_id).map_err(|error| Error::invalid("local_message_id", error))?;
        }
        let target = match &send.channel {
            Some(channel) if !send.target.contains(':') => format!("{channel}:{}", send.target),
            _ => send.target.clone(),
        };
        let content = serde_json::to_string(&send.body.content).map_err(|error| Error::invalid("content", error))?;
        let operator = caller.operator(send.source, send.is_bot);
        let (tenant, once, now) = (caller.tenant(), caller.once().cloned(), self.0.now());
        Ok(Job { tenant, send, target, content, operator, once, now })
    }
}

async fn accept(tx: &mut Tx<'_>, job: &Job) -> Result<SessionSent, Stop<SessionSent>> {
    if let Some(sent) = before(tx, job).await? {
        return Ok(sent);
    }
    let sent = put(tx, job).await?;
    if let Some(once) = &job.once {
        let kept = serde_json::to_string(&Kept { message_id: sent.message.id }).unwrap_or_default();
        bind(tx, once, &kept).await?;
    }
    if job.send.dry_run {
        return Err(Stop::DryRun(Box::new(sent)));
    }
    Ok(sent)
}

/// The message with everything that belongs to it. Keys and dry runs are for whoever owns the transaction.
pub(crate) async fn put(tx: &mut Tx<'_>, job: &Job) -> Result<SessionSent> {
    let Meant { contact, channel, conversation, .. } = meant(tx, job.tenant, &job.target, job.send.member).await?;
    let window_until = conversation.map_or(Timestamp::from_micros(0), |one| one.window_until);
    let contact = contact.ok_or_else(|| closed(job))?;
    if contact.is_blocked {
        return Err(Error::refused(Cause::Send(Refusal::Blocked), job.send.member, Refusal::Blocked.text()));
    }
    if job.now >= window_until {
        return Err(closed(job));
    }
    let context_id = answered(tx, job, channel.id).await?;
    let place = Place { tenant: job.tenant, channel: channel.id, contact: contact.id };
    let talk = opened(tx, place, job.now, job.send.body.text.as_deref(), job.now).await?;
    let message = Message {
        contact_id: Some(contact.id),
        conversation_id: Some(talk.id),
        ticket_id: Some(talk.ticket_id),
        text: job.send.body.text.clone(),
        content: Some(job.content.clone()),
        context_id,
        local_id: job.send.local_id.clone(),
        media_id: job.send.body.media_id,
        operator: Some(job.operator.clone()),
        ..Message::bare(
            Id::new(job.now),
            channel.id,
            Direction::Outbound,
            State::Queued,
            job.send.body.content.kind(),
            job.now.to_millis(),
        )
    };
    leave(tx, job, &contact, &message, window_until).await?;
    Ok(SessionSent { message, contact_id: contact.id })
}

/// What this request did already, under the same key.
async fn before(tx: &mut Tx<'_>, job: &Job) -> Result<Option<SessionSent>> {
    let Some(once) = &job.once else { return Ok(None) };
    let Some(outcome) = bound(tx, once).await? else { return Ok(None) };
    let kept = serde_json::from_str::<Kept>(&outcome).map_err(|_| Error::Fault(Fault::StoredOutcome))?;
    let message =
        store::messages::by_id(tx, job.tenant, kept.message_id).await?.ok_or(Error::NotFound(Thing::Message))?;
    let contact_id = message.contact_id.ok_or(Error::NotFound(Thing::Contact))?;
    Ok(Some(SessionSent { message, contact_id }))
}

async fn leave(
    tx: &mut Tx<'_>,
    job: &Job,
    contact: &Addressee,
    message: &Message,
    window_until: Timestamp,
) -> Result<()> {
    store::messages::insert(tx, job.tenant, message).await?;
    let waiting = Waiting {
        channel_id: message.channel_id,
        priority: Urgency::Service.rank(),
        due_at: job.now,
        id: message.id,
        contact_id: contact.id,
        recipient: recipient(contact),
        template_id: None,
        expires_at: Urgency::Service.expires(job.now).min(window_until),
    };
    Ok(store::outbox::insert_many(tx, job.tenant, &[waiting]).await?)
}

fn closed(job: &Job) -> Error {
    let message = "the person has not written in the last 24 hours; send a template with \
                   POST /api/ext/v3/messageTemplates/send";
    Error::refused(Cause::Send(Refusal::WindowClosed), job.send.member, message)
}

/// The network's id of the message that is answered.
async fn answered(tx: &mut Tx<'_>, job: &Job, channel: ChannelId) -> Result<Option<String>> {
    let Some(text) = &job.send.reply_to else { return Ok(None) };
    let found = match text.parse::<MessageId>() {
        Ok(id) => store::messages::by_id(tx, job.tenant, id).await?,
        Err(_) => store::messages::by_network_id(tx, job.tenant, channel, text).await?,
    };
    let network_id = found.filter(|one| one.channel_id == channel).and_then(|one| one.network_id);
    let missing = || Error::Missing { parameter: "replyContextId".to_owned(), what: Thing::Message };
    network_id.map(Some).ok_or_else(missing)
}
