//! What is told of messages of ours: whatever changes one hands over how it stood before, and everything else is looked
//! up here, at once for all of them. When there is something to tell is for the domain to say.

mod template;

use std::collections::{BTreeSet, HashMap};

use domain::channels::Channel;
use domain::events::{Fact, FailedMessage, MessageMilestone, MessageProgress, SentMessage, SessionSent};
use domain::messages::{Direction, State};
use domain::templates::Template;
use domain::{ChannelId, MessageId, TemplateId, TenantId, Timestamp};
use store::Tx;
use store::messages::{Answered, Ended, Message, Told};

use super::joined;
use crate::Result;
use crate::events::append;
use crate::media::name_in_history;

/// A message that something was learnt of; it is written down already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'a> {
    pub before: &'a Message,
    pub after: &'a Message,
    /// When what was learnt happened.
    pub at: Timestamp,
}

/// A message as it is now, and what became true of it.
#[derive(Debug)]
struct Changed {
    told: Told,
    news: Vec<MessageMilestone>,
    at: Timestamp,
}

impl Changed {
    /// None when there is nothing to tell. Of what others sent over the same number, and of what was said to somebody who
    /// is deleted since, nothing is known.
    fn new(before: MessageProgress, told: Told, at: Timestamp) -> Option<Self> {
        let message = &told.message;
        let is_ours = message.direction == Direction::Outbound && message.content.is_some();
        let news = if is_ours { before.milestones_to(standing(message)) } else { Vec::new() };
        (!news.is_empty()).then_some(Self { told, news, at })
    }

    fn is_sent(&self) -> bool {
        self.news.contains(&MessageMilestone::Sent)
    }
}

fn standing(message: &Message) -> MessageProgress {
    MessageProgress {
        state: message.state,
        is_accepted: message.network_id.is_some(),
        delivered_at: message.delivered_at,
        read_at: message.read_at,
    }
}

pub(crate) async fn moved(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: &Channel,
    moved: Moved<'_>,
    now: Timestamp,
) -> Result<()> {
    let before = standing(moved.before);
    // Most reports say what is known, or are about what others sent: nothing is looked up for those.
    if moved.after.content.is_none() || before.milestones_to(standing(moved.after)).is_empty() {
        return Ok(());
    }
    let told = store::messages::told(tx, tenant, &[moved.after.id]).await?;
    let changed: Vec<Changed> = told.into_iter().filter_map(|told| Changed::new(before, told, moved.at)).collect();
    tell(tx, tenant, &changed, Some(channel), now).await
}

/// The network took these messages: writes it down and tells it.
pub(crate) async fn answered(tx: &mut Tx<'_>, tenant: TenantId, taken: &[Answered], now: Timestamp) -> Result<()> {
    let ids: Vec<MessageId> = taken.iter().map(|one| one.id).collect();
    let before = looked_up(tx, tenant, &ids).await?;
    let all = store::messages::answered(tx, tenant, taken).await? == u64::try_from(taken.len()).unwrap_or(0);
    let mut changed = Vec::new();
    for one in taken {
        let reported = if all { None } else { join(tx, tenant, one).await? };
        let Some(mut told) = before.get(&one.id).cloned() else { continue };
        let before = standing(&told.message);
        match reported {
            Some(message) => told.message = message,
            None if all => take(&mut told.message, one),
            None => {}
        }
        changed.extend(Changed::new(before, told, now));
    }
    tell(tx, tenant, &changed, None, now).await
}

/// As the statement has it.
fn take(message: &mut Message, answered: &Answered) {
    message.state = message.state.answered();
    message.network_id.get_or_insert_with(|| answered.network_id.clone());
}

/// A report came before the answer was written down, and made a row of its own: it joins ours. Answers ours as it is then.
async fn join(tx: &mut Tx<'_>, tenant: TenantId, taken: &Answered) -> Result<Option<Message>> {
    let Some(ours) = store::messages::by_id(tx, tenant, taken.id).await? else { return Ok(None) };
    if ours.network_id.is_some() {
        return Ok(Some(ours));
    }
    let told = store::messages::by_network_id(tx, tenant, taken.channel_id, &taken.network_id).await?;
    let Some(told) = told.filter(|one| one.direction == Direction::Outbound && one.content.is_none()) else {
        return Ok(Some(ours));
    };
    store::messages::remove(tx, tenant, told.id).await?;
    let mut ours = joined(ours, &told);
    take(&mut ours, taken);
    store::messages::update(tx, tenant, &ours).await?;
    Ok(Some(ours))
}

/// These messages end otherwise than by leaving: writes it down and tells it. Of those that nobody knows the end of
/// nothing is told.
pub(crate) async fn ended(tx: &mut Tx<'_>, tenant: TenantId, ended: &[Ended], now: Timestamp) -> Result<()> {
    let ids: Vec<MessageId> = ended.iter().filter(|one| one.at.is_some()).map(|one| one.id).collect();
    let before = looked_up(tx, tenant, &ids).await?;
    store::messages::ended(tx, tenant, ended).await?;
    let changed = ended.iter().filter_map(|one| {
        let mut told = before.get(&one.id)?.clone();
        let before = standing(&told.message);
        // As the statement has it: what reports said meanwhile stays.
        if told.message.state.answered() == State::Submitted {
            (told.message.state, told.message.error) = (one.state, one.error.clone());
        }
        Changed::new(before, told, now)
    });
    tell(tx, tenant, &changed.collect::<Vec<_>>(), None, now).await
}

async fn looked_up(tx: &mut Tx<'_>, tenant: TenantId, ids: &[MessageId]) -> Result<HashMap<MessageId, Told>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(store::messages::told(tx, tenant, ids).await?.into_iter().map(|told| (told.message.id, told)).collect())
}

/// What several messages share.
#[derive(Debug, Default)]
struct Shared {
    channels: HashMap<ChannelId, Channel>,
    templates: HashMap<TemplateId, Template>,
    /// Of operators, by their address.
    names: HashMap<String, String>,
}

async fn tell(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    changed: &[Changed],
    channel: Option<&Channel>,
    now: Timestamp,
) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut shared = shared(tx, tenant, changed).await?;
    let channels = match channel {
        Some(channel) => vec![channel.clone()],
        None => store::channels::list_in(tx, tenant).await?.into_iter().map(|stored| stored.channel).collect(),
    };
    shared.channels = channels.into_iter().map(|channel| (channel.id, channel)).collect();
    let facts: Vec<Fact> = changed.iter().flat_map(|one| facts(one, &shared, now)).collect();
    append(tx, tenant, &facts).await
}

/// Only what the first event of a message needs; the later ones say less.
async fn shared(tx: &mut Tx<'_>, tenant: TenantId, changed: &[Changed]) -> Result<Shared> {
    let sent = || changed.iter().filter(|one| one.is_sent()).map(|one| &one.told.message);
    let mut shared = Shared::default();
    let templates: BTreeSet<TemplateId> = sent().filter_map(|message| message.template_id).collect();
    if !templates.is_empty() {
        let templates: Vec<TemplateId> = templates.into_iter().collect();
        let found = store::templates::by_ids(tx, tenant, &templates).await?;
        shared.templates = found.into_iter().map(|template| (template.id, template)).collect();
    }
    let free = sent().filter(|message| message.template_id.is_none());
    let emails: BTreeSet<String> = free.filter_map(email).collect();
    if !emails.is_empty() {
        let emails: Vec<&str> = emails.iter().map(String::as_str).collect();
        shared.names = store::accounts::names(tx, tenant, &emails).await?.into_iter().collect();
    }
    Ok(shared)
}

fn facts(changed: &Changed, shared: &Shared, now: Timestamp) -> Vec<Fact> {
    let told = &changed.told;
    let Some(channel) = shared.channels.get(&told.message.channel_id) else { return Vec::new() };
    let message = reported(told);
    let fact = |news: &MessageMilestone| match news {
        MessageMilestone::Sent => sent(channel, told, message.clone(), shared, now),
        MessageMilestone::Failed => Fact::failed(now, channel, &failed(told, message.clone())),
        MessageMilestone::Delivered(at) => Fact::delivered(now, channel, &message, *at),
        MessageMilestone::Read(at) => Fact::read(now, channel, &message, *at),
        MessageMilestone::Replied => Fact::replied(now, channel, &message, changed.at),
    };
    changed.news.iter().map(fact).collect()
}

fn email(message: &Message) -> Option<String> {
    message.operator.as_ref()?.email.clone()
}

fn reported(told: &Told) -> SentMessage {
    let message = &told.message;
    SentMessage {
        person: told.person.clone(),
        message_id: message.id,
        local_message_id: Some(message.local_id()),
        network_id: message.network_id.clone(),
        conversation_id: message.conversation_id,
        ticket_id: message.ticket_id,
        text: message.text.clone(),
        r#type: message.kind.clone(),
        assignee_id: told.assignee_id,
        operator_email: email(message).unwrap_or_default(),
    }
}

fn sent(channel: &Channel, told: &Told, message: SentMessage, shared: &Shared, now: Timestamp) -> Fact {
    if let Some(id) = told.message.template_id {
        let sent = template::sent(message, id, shared.templates.get(&id), &told.message);
        return Fact::template_sent(now, channel, &sent);
    }
    let email = email(&told.message);
    let sent = SessionSent {
        message,
        data: told.file_name.clone().or_else(|| name_in_history(&told.message)),
        operator_name: email.map(|email| shared.names.get(&email).cloned().unwrap_or(email)),
        reply_context_id: told.message.context_id.clone(),
    };
    Fact::session_sent(now, channel, &sent)
}

fn failed(told: &Told, message: SentMessage) -> FailedMessage {
    let failure = told.message.error.clone().unwrap_or_default();
    FailedMessage { message, is_template: told.message.template_id.is_some(), failure }
}
