//! Writes an accepted broadcast: new contacts, conversations, messages, outbox entries, refused recipients, and the
//! broadcast itself.

use std::collections::HashMap;

use domain::messaging::broadcasts::Broadcast;
use domain::messaging::channels::Channel;
use domain::messaging::conversations::{Conversation, preview};
use domain::messaging::messages::{HistoryKind, Message, MessageDirection, MessageState, TemplateParams, local_id};
use domain::messaging::templates::Template;
use domain::{ContactId, ConversationId, TicketId, Timestamp};
use store::Tx;
use store::messaging::broadcasts::RefusedRecipient;
use store::messaging::outbox::NewOutboxEntry;

use super::decide::{Decision, Decisions, NewMessage};
use super::job::{TemplateJob, TemplateRecipient};
use crate::Result;
use crate::messaging::messages::recipients::{insert_contacts, network_recipient};
use crate::messaging::messages::{AcceptedBroadcast, RecipientOutcome};

pub(super) async fn write(
    tx: &mut Tx<'_>,
    job: &TemplateJob,
    channel: &Channel,
    template: &Template,
    decided: Decisions,
) -> Result<AcceptedBroadcast> {
    insert_contacts(tx, job.tenant, &decided.new_contacts).await?;
    let messages: Vec<(&TemplateRecipient, &NewMessage)> = messages(job, &decided).collect();
    let conversations = conversations(tx, job, channel, &messages).await?;
    let rows: Vec<Message> = messages
        .iter()
        .filter_map(|(to, one)| Some(message(job, channel, template, to, one, conversations.get(&one.contact.id)?)))
        .collect();
    store::messaging::messages::insert_many(tx, job.tenant, &rows).await?;
    let entries: Vec<NewOutboxEntry> =
        messages.iter().map(|(_, one)| outbox_entry(job, channel, template, one)).collect();
    store::messaging::outbox::insert_many(tx, job.tenant, &entries).await?;
    let refused = refused(job, &decided);
    let broadcast = broadcast(job, channel, template, refused.len());
    store::messaging::broadcasts::insert(tx, job.tenant, &broadcast, &refused).await?;
    Ok(accepted(job, channel, template, &decided))
}

fn messages<'a>(
    job: &'a TemplateJob,
    decided: &'a Decisions,
) -> impl Iterator<Item = (&'a TemplateRecipient, &'a NewMessage)> {
    let message = |decision: &'a Decision| match decision {
        Decision::Send(message) => Some(&**message),
        Decision::Refuse { .. } => None,
    };
    job.send.recipients.iter().zip(&decided.recipients).filter_map(move |(to, decision)| Some((to, message(decision)?)))
}

/// Returns the conversation and the ticket of each contact, and creates missing conversations. Existing ones get the
/// message as their last one, unless it is scheduled.
async fn conversations(
    tx: &mut Tx<'_>,
    job: &TemplateJob,
    channel: &Channel,
    messages: &[(&TemplateRecipient, &NewMessage)],
) -> Result<HashMap<ContactId, (ConversationId, TicketId)>> {
    // Sorted, so that two broadcasts to the same contacts lock their conversations in the same order.
    let mut contacts: Vec<ContactId> = messages.iter().map(|(_, one)| one.contact.id).collect();
    contacts.sort_unstable();
    let mut known: HashMap<ContactId, (ConversationId, TicketId)> = HashMap::with_capacity(contacts.len());
    for one in store::messaging::conversations::of_contacts_for_update(tx, job.tenant, channel.id, &contacts).await? {
        known.insert(one.contact_id, (one.id, one.ticket_id));
    }
    let (mut new, mut touched) = (Vec::new(), Vec::new());
    for (_, one) in messages {
        let preview = preview(&one.text);
        if let Some((id, _)) = known.get(&one.contact.id) {
            touched.push((*id, job.now.to_millis(), preview));
            continue;
        }
        let mut conversation = Conversation::new(channel.id, one.contact.id, job.now);
        conversation.last_text = Some(preview).filter(|_| job.send.scheduled_at.is_none());
        known.insert(one.contact.id, (conversation.id, conversation.ticket_id));
        new.push(conversation);
    }
    store::messaging::conversations::insert_many(tx, job.tenant, &new).await?;
    // A scheduled message becomes the last one of its conversation when it leaves.
    if job.send.scheduled_at.is_none() {
        store::messaging::conversations::touch(tx, job.tenant, &touched).await?;
    }
    Ok(known)
}

fn message(
    job: &TemplateJob,
    channel: &Channel,
    template: &Template,
    to: &TemplateRecipient,
    one: &NewMessage,
    (conversation, ticket): &(ConversationId, TicketId),
) -> Message {
    let state = if job.send.scheduled_at.is_some() { MessageState::Accepted } else { MessageState::Queued };
    Message {
        contact_id: Some(one.contact.id),
        conversation_id: Some(*conversation),
        ticket_id: Some(*ticket),
        event: HistoryKind::Broadcast,
        text: Some(one.text.clone()),
        content: Some(one.content.clone()),
        params: TemplateParams::from_params(&to.params),
        local_id: to.local_id.clone(),
        broadcast_id: Some(job.broadcast_id),
        template_id: Some(template.id),
        operator: Some(job.operator.clone()),
        ..Message::bare(one.id, channel.id, MessageDirection::Outbound, state, "template", job.now.to_millis())
    }
}

fn outbox_entry(job: &TemplateJob, channel: &Channel, template: &Template, one: &NewMessage) -> NewOutboxEntry {
    let (urgency, due_at) = (TemplateJob::urgency(template), job.due_at());
    NewOutboxEntry {
        channel_id: channel.id,
        priority: urgency.rank(),
        due_at,
        id: one.id,
        contact_id: one.contact.id,
        recipient: network_recipient(&one.contact),
        template_id: Some(template.id),
        expires_at: job.expires_at.unwrap_or_else(|| urgency.expires(due_at)),
    }
}

fn refused(job: &TemplateJob, decided: &Decisions) -> Vec<RefusedRecipient> {
    let refused = |(place, (to, decision)): (usize, (&TemplateRecipient, &Decision))| match decision {
        Decision::Send(_) => None,
        Decision::Refuse { contact, problem, .. } => Some(RefusedRecipient {
            place: i64::try_from(place).unwrap_or(i64::MAX),
            target: to.target.clone(),
            contact_id: *contact,
            local_id: to.local_id.clone(),
            code: problem.refusal.code(),
            reason: format!("{}: {}", problem.place, problem.message),
            params: TemplateParams::from_params(&to.params),
        }),
    };
    job.send.recipients.iter().zip(&decided.recipients).enumerate().filter_map(refused).collect()
}

fn broadcast(job: &TemplateJob, channel: &Channel, template: &Template, refused: usize) -> Broadcast {
    Broadcast {
        id: job.broadcast_id,
        channel_id: channel.id,
        name: job.send.broadcast_name.trim().to_owned(),
        template_id: template.id,
        template_name: template.name.clone(),
        operator: Some(job.operator.clone()),
        source: job.send.source.name().to_owned(),
        refused: i64::try_from(refused).unwrap_or(i64::MAX),
        scheduled_at: job.send.scheduled_at.map(Timestamp::to_millis),
        stopped_at: None,
        created_at: job.now.to_millis(),
    }
}

pub(super) fn accepted(
    job: &TemplateJob,
    channel: &Channel,
    template: &Template,
    decided: &Decisions,
) -> AcceptedBroadcast {
    let outcome = |(to, decision): (&TemplateRecipient, &Decision)| {
        let (contact_id, phone, message_id, problem) = match decision {
            Decision::Send(one) => (Some(one.contact.id), one.contact.phone.clone(), Some(one.id), None),
            Decision::Refuse { contact, phone, problem } => (*contact, phone.clone(), None, Some(problem.clone())),
        };
        let local = || message_id.map_or_else(String::new, local_id::default_for);
        RecipientOutcome {
            target: to.target.clone(),
            phone,
            contact_id,
            message_id,
            local_id: to.local_id.clone().unwrap_or_else(local),
            problem,
        }
    };
    AcceptedBroadcast {
        broadcast_id: job.broadcast_id,
        template_id: template.id,
        template_name: template.name.clone(),
        channel_id: channel.id,
        channel_phone_number: channel.phone_number.clone(),
        scheduled_at: job.send.scheduled_at,
        recipients: job.send.recipients.iter().zip(&decided.recipients).map(outcome).collect(),
    }
}
