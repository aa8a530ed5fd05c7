//! Everything that an accepted broadcast is made of, written in one go: contacts, conversations, messages, what is to
//! leave, who was refused.

use std::collections::HashMap;

use domain::channels::Channel;
use domain::conversations::{Conversation, shortened};
use domain::messages::{Direction, Event, State, TemplateParams, local_id};
use domain::templates::Template;
use domain::{ContactId, ConversationId, TicketId, Timestamp};
use store::Tx;
use store::broadcasts::{Broadcast, Refused};
use store::messages::Message;
use store::outbox::Waiting;

use super::decide::{Decided, Leaving, Verdict};
use super::{Job, Recipient};
use crate::Result;
use crate::messages::people::{make, recipient};
use crate::messages::{Accepted, Outcome};

pub(super) async fn write(
    tx: &mut Tx<'_>,
    job: &Job,
    channel: &Channel,
    template: &Template,
    decided: Decided,
) -> Result<Accepted> {
    make(tx, job.tenant, &decided.new).await?;
    let leaving: Vec<(&Recipient, &Leaving)> = pairs(job, &decided).collect();
    let talks = talks(tx, job, channel, &leaving).await?;
    let rows: Vec<Message> = leaving
        .iter()
        .filter_map(|(to, one)| Some(message(job, channel, template, to, one, talks.get(&one.contact.id)?)))
        .collect();
    store::messages::insert_many(tx, job.tenant, &rows).await?;
    let waiting: Vec<Waiting> = leaving.iter().map(|(_, one)| waiting(job, channel, template, one)).collect();
    store::outbox::insert_many(tx, job.tenant, &waiting).await?;
    let refused = refused(job, &decided);
    let broadcast = broadcast(job, channel, template, refused.len());
    store::broadcasts::insert(tx, job.tenant, &broadcast, &refused).await?;
    Ok(accepted(job, channel, template, &decided))
}

fn pairs<'a>(job: &'a Job, decided: &'a Decided) -> impl Iterator<Item = (&'a Recipient, &'a Leaving)> {
    let leaving = |verdict: &'a Verdict| match verdict {
        Verdict::Leaves(leaving) => Some(&**leaving),
        Verdict::Stays { .. } => None,
    };
    job.send.recipients.iter().zip(&decided.verdicts).filter_map(move |(to, verdict)| Some((to, leaving(verdict)?)))
}

/// The conversation of each contact, made where there is none.
async fn talks(
    tx: &mut Tx<'_>,
    job: &Job,
    channel: &Channel,
    leaving: &[(&Recipient, &Leaving)],
) -> Result<HashMap<ContactId, (ConversationId, TicketId)>> {
    // Locks are taken in one order everywhere.
    let mut contacts: Vec<ContactId> = leaving.iter().map(|(_, one)| one.contact.id).collect();
    contacts.sort_unstable();
    let mut known: HashMap<ContactId, (ConversationId, TicketId)> = HashMap::with_capacity(contacts.len());
    for one in store::conversations::of_contacts(tx, job.tenant, channel.id, &contacts).await? {
        known.insert(one.contact_id, (one.id, one.ticket_id));
    }
    let (mut new, mut touched) = (Vec::new(), Vec::new());
    for (_, one) in leaving {
        let glimpse = shortened(&one.text);
        if let Some((id, _)) = known.get(&one.contact.id) {
            touched.push((*id, job.now.to_millis(), glimpse));
            continue;
        }
        let mut talk = Conversation::new(channel.id, one.contact.id, job.now);
        talk.last_text = Some(glimpse);
        known.insert(one.contact.id, (talk.id, talk.ticket_id));
        new.push(talk);
    }
    store::conversations::insert_many(tx, job.tenant, &new).await?;
    store::conversations::touch(tx, job.tenant, &touched).await?;
    Ok(known)
}

fn message(
    job: &Job,
    channel: &Channel,
    template: &Template,
    to: &Recipient,
    one: &Leaving,
    (conversation, ticket): &(ConversationId, TicketId),
) -> Message {
    let state = if job.send.scheduled_at.is_some() { State::Accepted } else { State::Queued };
    Message {
        contact_id: Some(one.contact.id),
        conversation_id: Some(*conversation),
        ticket_id: Some(*ticket),
        event: Event::Broadcast,
        text: Some(one.text.clone()),
        content: Some(one.content.clone()),
        params: TemplateParams::of(&to.params),
        local_id: to.local_id.clone(),
        broadcast_id: Some(job.broadcast_id),
        template_id: Some(template.id),
        operator: Some(job.operator.clone()),
        ..Message::bare(one.id, channel.id, Direction::Outbound, state, "template", job.now.to_millis())
    }
}

fn waiting(job: &Job, channel: &Channel, template: &Template, one: &Leaving) -> Waiting {
    let (urgency, due_at) = (Job::urgency(template), job.due_at());
    Waiting {
        channel_id: channel.id,
        priority: urgency.rank(),
        due_at,
        id: one.id,
        contact_id: one.contact.id,
        recipient: recipient(&one.contact),
        template_id: Some(template.id),
        expires_at: urgency.expires(due_at),
    }
}

fn refused(job: &Job, decided: &Decided) -> Vec<Refused> {
    let refused = |(place, (to, verdict)): (usize, (&Recipient, &Verdict))| match verdict {
        Verdict::Leaves(_) => None,
        Verdict::Stays { contact, problem, .. } => Some(Refused {
            place: i64::try_from(place).unwrap_or(i64::MAX),
            target: to.target.clone(),
            contact_id: *contact,
            local_id: to.local_id.clone(),
            code: problem.refusal.code(),
            reason: format!("{}: {}", problem.parameter, problem.message),
            params: TemplateParams::of(&to.params),
        }),
    };
    job.send.recipients.iter().zip(&decided.verdicts).enumerate().filter_map(refused).collect()
}

fn broadcast(job: &Job, channel: &Channel, template: &Template, refused: usize) -> Broadcast {
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

fn accepted(job: &Job, channel: &Channel, template: &Template, decided: &Decided) -> Accepted {
    let outcome = |(to, verdict): (&Recipient, &Verdict)| {
        let (contact_id, phone, message_id, problem) = match verdict {
            Verdict::Leaves(one) => (Some(one.contact.id), one.contact.phone.clone(), Some(one.id), None),
            Verdict::Stays { contact, phone, problem } => (*contact, phone.clone(), None, Some(problem.clone())),
        };
        let local = || message_id.map_or_else(String::new, local_id::of);
        Outcome {
            target: to.target.clone(),
            phone,
            contact_id,
            message_id,
            local_id: to.local_id.clone().unwrap_or_else(local),
            problem,
        }
    };
    Accepted {
        broadcast_id: job.broadcast_id,
        template_id: template.id,
        template_name: template.name.clone(),
        channel_id: channel.id,
        channel_phone_number: channel.phone_number.clone(),
        scheduled_at: job.send.scheduled_at,
        recipients: job.send.recipients.iter().zip(&decided.verdicts).map(outcome).collect(),
    }
}
