//! Saves how messages that this installation sent have progressed, and appends the events that follow, in the same
//! transaction.
//!
//! Whether a change leads to an event is a rule of the domain (`domain::delivery::events::MessageProgress`): it
//! compares the progress of the message before with its progress now. This module loads what the events also need, once
//! for all messages of a call.

mod template;

use std::collections::{BTreeSet, HashMap};

use domain::delivery::events::{
    Fact, FactCause, FailedMessage, MessageMilestone, MessageProgress, SentMessage, SessionSent,
};
use domain::messaging::channels::Channel;
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use domain::messaging::templates::Template;
use domain::{ChannelId, MessageId, TemplateId, TenantId, Timestamp};
use store::Tx;
use store::messaging::messages::{AcceptedByNetwork, EndedMessage, MessageContext};

use super::merge_reported;
use crate::Result;
use crate::base::emit::emit;
use crate::messaging::media::name_in_history;

/// A change that a report of the network caused. It is already saved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportedChange<'a> {
    pub before: &'a Message,
    pub after: &'a Message,
    /// When the reported event happened.
    pub at: Timestamp,
}

/// A message as it is now, and the milestones that it has just reached.
#[derive(Debug)]
struct ChangedMessage {
    context: MessageContext,
    milestones: Vec<MessageMilestone>,
    at: Timestamp,
}

impl ChangedMessage {
    /// None when there is nothing to emit. A message without content emits nothing: other systems sent it over the same
    /// number, or its contact was deleted.
    fn new(before: MessageProgress, context: MessageContext, at: Timestamp) -> Option<Self> {
        let message = &context.message;
        let is_ours = message.direction == MessageDirection::Outbound && message.content.is_some();
        let milestones = if is_ours { before.milestones_to(progress(message)) } else { Vec::new() };
        (!milestones.is_empty()).then_some(Self { context, milestones, at })
    }

    fn is_sent(&self) -> bool {
        self.milestones.contains(&MessageMilestone::Sent)
    }
}

fn progress(message: &Message) -> MessageProgress {
    MessageProgress {
        state: message.state,
        is_accepted: message.network_id.is_some(),
        delivered_at: message.delivered_at,
        read_at: message.read_at,
    }
}

/// Emits the events that follow from a report. The report must already be saved.
pub(crate) async fn emit_reported(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: &Channel,
    change: ReportedChange<'_>,
    now: Timestamp,
) -> Result<()> {
    emit_reported_all(tx, tenant, channel, &[change], now).await
}

/// Emits the events that follow from several reports, in their order. They must already be saved.
pub(crate) async fn emit_reported_all(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: &Channel,
    changes: &[ReportedChange<'_>],
    now: Timestamp,
) -> Result<()> {
    // Most reports repeat what is known, or are about messages of other systems: for those nothing is read.
    let is_progress = |change: &&ReportedChange<'_>| {
        change.after.content.is_some() && !progress(change.before).milestones_to(progress(change.after)).is_empty()
    };
    let progressed: Vec<&ReportedChange<'_>> = changes.iter().filter(is_progress).collect();
    let ids: BTreeSet<MessageId> = progressed.iter().map(|change| change.after.id).collect();
    let contexts = load_contexts(tx, tenant, &ids.into_iter().collect::<Vec<_>>()).await?;
    let messages = progressed.iter().filter_map(|change| {
        // The loaded row is as the last of the changes left it, so the message of this change is put in its place.
        let context = MessageContext { message: change.after.clone(), ..contexts.get(&change.after.id)?.clone() };
        ChangedMessage::new(progress(change.before), context, change.at)
    });
    append_events(tx, tenant, &messages.collect::<Vec<_>>(), Some(channel), now).await
}

/// Saves that the network accepted these messages, with the network's ids, and emits events. A message that has
/// progressed further keeps its state; saving the same answer twice emits nothing the second time.
pub(crate) async fn save_accepted(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    accepted: &[AcceptedByNetwork],
    now: Timestamp,
) -> Result<()> {
    let ids: Vec<MessageId> = accepted.iter().map(|one| one.id).collect();
    let before = load_contexts(tx, tenant, &ids).await?;
    let all = store::messaging::messages::set_accepted(tx, tenant, accepted).await?
        == u64::try_from(accepted.len()).unwrap_or(0);
    let mut changed = Vec::new();
    for one in accepted {
        let reported = if all { None } else { join_reported(tx, tenant, one).await? };
        let Some(mut context) = before.get(&one.id).cloned() else { continue };
        let before = progress(&context.message);
        match reported {
            Some(message) => context.message = message,
            None if all => set_accepted(&mut context.message, one),
            None => {}
        }
        changed.extend(ChangedMessage::new(before, context, now));
    }
    append_events(tx, tenant, &changed, None, now).await
}

/// Changes the loaded message as the statement of `store::messaging::messages::set_accepted` changes its row.
fn set_accepted(message: &mut Message, accepted: &AcceptedByNetwork) {
    message.state = message.state.answered();
    message.network_id.get_or_insert_with(|| accepted.network_id.clone());
}

/// Joins reports that came before the answer was saved. Such a report made a row of its own under the network's id:
/// that row is merged into our message and deleted. Returns our message as it is then; none when it was deleted.
async fn join_reported(tx: &mut Tx<'_>, tenant: TenantId, accepted: &AcceptedByNetwork) -> Result<Option<Message>> {
    let Some(ours) = store::messaging::messages::by_id_for_update(tx, tenant, accepted.id).await? else {
        return Ok(None);
    };
    if ours.network_id.is_some() {
        return Ok(Some(ours));
    }
    let reported =
        store::messaging::messages::by_network_id_for_update(tx, tenant, accepted.channel_id, &accepted.network_id)
            .await?;
    let Some(reported) = reported.filter(|one| one.direction == MessageDirection::Outbound && one.content.is_none())
    else {
        return Ok(Some(ours));
    };
    store::messaging::messages::remove(tx, tenant, reported.id).await?;
    let mut ours = merge_reported(ours, &reported);
    set_accepted(&mut ours, accepted);
    store::messaging::messages::update(tx, tenant, &ours).await?;
    Ok(Some(ours))
}

/// Saves that these messages ended (failed, expired or unknown), and emits events. A message that a report of the
/// network has moved further keeps its state. A message of unknown outcome (`at` is none) emits nothing: the network
/// may have accepted it.
pub(crate) async fn save_ended(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    ended: &[EndedMessage],
    now: Timestamp,
) -> Result<()> {
    let ids: Vec<MessageId> = ended.iter().filter(|one| one.at.is_some()).map(|one| one.id).collect();
    let before = load_contexts(tx, tenant, &ids).await?;
    store::messaging::messages::set_ended(tx, tenant, ended).await?;
    let changed = ended.iter().filter_map(|one| {
        let mut context = before.get(&one.id)?.clone();
        let before = progress(&context.message);
        // Like the statement: a state that a report of the network has set is kept.
        if context.message.state.answered() == MessageState::Submitted {
            (context.message.state, context.message.error) = (one.state, one.error.clone());
        }
        ChangedMessage::new(before, context, now)
    });
    append_events(tx, tenant, &changed.collect::<Vec<_>>(), None, now).await
}

async fn load_contexts(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    ids: &[MessageId],
) -> Result<HashMap<MessageId, MessageContext>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let contexts = store::messaging::messages::load_context(tx, tenant, ids).await?;
    Ok(contexts.into_iter().map(|context| (context.message.id, context)).collect())
}

/// Rows that the events of several messages share.
#[derive(Debug, Default)]
struct SharedContext {
    channels: HashMap<ChannelId, Channel>,
    templates: HashMap<TemplateId, Template>,
    /// Names of operators, by e-mail address.
    operator_names: HashMap<String, String>,
}

async fn append_events(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    changed: &[ChangedMessage],
    channel: Option<&Channel>,
    now: Timestamp,
) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut shared = load_shared(tx, tenant, changed).await?;
    let channels = match channel {
        Some(channel) => vec![channel.clone()],
        None => {
            store::messaging::channels::list_in(tx, tenant).await?.into_iter().map(|stored| stored.channel).collect()
        }
    };
    shared.channels = channels.into_iter().map(|channel| (channel.id, channel)).collect();
    let facts: Vec<Fact> = changed.iter().flat_map(|one| facts(one, &shared, now)).collect();
    emit(tx, tenant, &facts).await
}

/// Loads the templates and the names of operators, which only the event of a sent message carries.
async fn load_shared(tx: &mut Tx<'_>, tenant: TenantId, changed: &[ChangedMessage]) -> Result<SharedContext> {
    let sent = || changed.iter().filter(|one| one.is_sent()).map(|one| &one.context.message);
    let mut shared = SharedContext::default();
    let templates: BTreeSet<TemplateId> = sent().filter_map(|message| message.template_id).collect();
    if !templates.is_empty() {
        let templates: Vec<TemplateId> = templates.into_iter().collect();
        let found = store::messaging::templates::by_ids(tx, tenant, &templates).await?;
        shared.templates = found.into_iter().map(|template| (template.id, template)).collect();
    }
    let free = sent().filter(|message| message.template_id.is_none());
    let emails: BTreeSet<String> = free.filter_map(email).collect();
    if !emails.is_empty() {
        let emails: Vec<&str> = emails.iter().map(String::as_str).collect();
        shared.operator_names = store::identity::accounts::names(tx, tenant, &emails).await?.into_iter().collect();
    }
    Ok(shared)
}

fn facts(changed: &ChangedMessage, shared: &SharedContext, now: Timestamp) -> Vec<Fact> {
    let context = &changed.context;
    let Some(channel) = shared.channels.get(&context.message.channel_id) else { return Vec::new() };
    let message = reported(context);
    let fact = |milestone: &MessageMilestone| match milestone {
        MessageMilestone::Sent => sent(channel, context, message.clone(), shared, now),
        MessageMilestone::Failed => Fact::failed(now, channel, &failed(context, message.clone())),
        MessageMilestone::Delivered(at) => Fact::delivered(now, channel, &message, *at),
        MessageMilestone::Read(at) => Fact::read(now, channel, &message, *at),
        MessageMilestone::Replied => Fact::replied(now, channel, &message, changed.at),
    };
    changed.milestones.iter().map(fact).map(|fact| fact.about_contact(context.message.contact_id)).collect()
}

fn email(message: &Message) -> Option<String> {
    message.operator.as_ref()?.email.clone()
}

fn reported(context: &MessageContext) -> SentMessage {
    let message = &context.message;
    SentMessage {
        person: context.person.clone(),
        message_id: message.id,
        local_message_id: Some(message.local_id()),
        network_id: message.network_id.clone(),
        conversation_id: message.conversation_id,
        ticket_id: message.ticket_id,
        text: message.text.clone(),
        r#type: message.kind.clone(),
        assignee_id: context.assignee_id,
        operator_email: email(message).unwrap_or_default(),
    }
}

fn sent(
    channel: &Channel,
    context: &MessageContext,
    message: SentMessage,
    shared: &SharedContext,
    now: Timestamp,
) -> Fact {
    let cause = FactCause::of(context.message.operator.as_ref());
    if let Some(id) = context.message.template_id {
        let sent = template::sent(message, id, shared.templates.get(&id), &context.message);
        return Fact::template_sent(now, channel, &sent).caused_by(cause);
    }
    let email = email(&context.message);
    let sent = SessionSent {
        message,
        data: context.file_name.clone().or_else(|| name_in_history(&context.message)),
        operator_name: email.map(|email| shared.operator_names.get(&email).cloned().unwrap_or(email)),
        reply_context_id: context.message.context_id.clone(),
    };
    Fact::session_sent(now, channel, &sent).caused_by(cause)
}

fn failed(context: &MessageContext, message: SentMessage) -> FailedMessage {
    let failure = context.message.error.clone().unwrap_or_default();
    FailedMessage { message, is_template: context.message.template_id.is_some(), failure }
}
