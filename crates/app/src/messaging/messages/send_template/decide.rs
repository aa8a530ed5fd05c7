//! Decides for each recipient whether a message is sent, and builds the message. Writes nothing.

use std::collections::HashMap;

use channels::graph::{self, Component, Content};
use domain::messaging::messages::{ContactPermissions, local_id};
use domain::messaging::templates::{Action, Button, Filled, Template};
use domain::people::contacts::{Contact, TargetRef};
use domain::{ContactId, Field, Id, MessageId};
use store::people::contacts::Addressee;

use super::job::{TemplateExtra, TemplateJob, TemplateRecipient};
use crate::messaging::messages::recipients::{KnownContacts, addressee, new_contact};
use crate::messaging::messages::{RecipientProblem, Refusal};
use crate::messaging::{clicks, templates};

#[derive(Debug)]
pub(super) struct Decisions {
    /// One decision for each recipient, in the order of the request.
    pub recipients: Vec<Decision>,
    /// New contacts for targets that no contact has, as far as they get a message.
    pub new_contacts: Vec<Contact>,
}

#[derive(Debug)]
pub(super) enum Decision {
    Send(Box<NewMessage>),
    Refuse { contact: Option<ContactId>, phone: Option<String>, problem: RecipientProblem },
}

#[derive(Debug)]
pub(super) struct NewMessage {
    pub id: MessageId,
    pub contact: Addressee,
    pub text: String,
    pub content: String,
}

/// Recognises a recipient that the request names more than once.
#[derive(Debug, PartialEq, Eq, Hash)]
enum RecipientKey<'a> {
    Contact(ContactId),
    Target(&'a TargetRef),
}

pub(super) fn decide(job: &TemplateJob, template: &Template, known: &KnownContacts) -> Decisions {
    let mut seen: HashMap<RecipientKey<'_>, Option<Addressee>> = HashMap::with_capacity(job.targets.len());
    let mut decided = Decisions { recipients: Vec::with_capacity(job.targets.len()), new_contacts: Vec::new() };
    for (recipient, target) in job.send.recipients.iter().zip(&job.targets) {
        let Some(target) = target else {
            decided.refuse(None, RecipientProblem::new(Refusal::InvalidTarget, recipient.named_by));
            continue;
        };
        let (contact, new) = match known.get(target) {
            Some(contact) => (contact.clone(), None),
            None => match new_contact(target, recipient.named_by, job.now) {
                Ok(new) => (addressee(&new), Some(new)),
                Err(problem) => {
                    decided.refuse(None, problem);
                    continue;
                }
            },
        };
        // A new contact gets another id for each recipient, so only the target shows that the request names the person
        // twice.
        let key = if new.is_some() { RecipientKey::Target(target) } else { RecipientKey::Contact(contact.id) };
        if let Some(first) = seen.get(&key) {
            decided.refuse(first.as_ref(), RecipientProblem::new(Refusal::Duplicate, recipient.named_by));
            continue;
        }
        let outcome = new_message(job, template, recipient, &contact);
        // No contact is created for a recipient who gets no message.
        let exists = new.is_none() || outcome.is_ok();
        seen.insert(key, exists.then(|| contact.clone()));
        match outcome {
            Ok(message) => {
                decided.new_contacts.extend(new);
                decided.recipients.push(Decision::Send(Box::new(message)));
            }
            Err(problem) => decided.refuse(new.is_none().then_some(&contact), problem),
        }
    }
    decided
}

impl Decisions {
    fn refuse(&mut self, contact: Option<&Addressee>, problem: RecipientProblem) {
        let (id, phone) = (contact.map(|one| one.id), contact.and_then(|one| one.phone.clone()));
        self.recipients.push(Decision::Refuse { contact: id, phone, problem });
    }
}

fn new_message(
    job: &TemplateJob,
    template: &Template,
    recipient: &TemplateRecipient,
    contact: &Addressee,
) -> Result<NewMessage, RecipientProblem> {
    if let Some(local_id) = &recipient.local_id {
        local_id::check(local_id)
            .map_err(|why| RecipientProblem::with_message(Refusal::InvalidLocalId, Field::LocalMessageId, why))?;
    }
    if contact.is_blocked {
        return Err(RecipientProblem::new(Refusal::Blocked, recipient.named_by));
    }
    let permissions =
        ContactPermissions { opted_in: contact.opted_in, allow_broadcast: contact.allow_broadcast, is_blocked: false };
    if !permissions.allows_template(TemplateJob::urgency(template)) {
        return Err(RecipientProblem::new(Refusal::OptedOut, recipient.named_by));
    }
    let filled = template
        .fill(&recipient.params)
        .map_err(|problem| RecipientProblem::with_message(Refusal::BadParameters, problem.place, problem.message))?;
    let id = Id::new(job.now);
    let content = content(job, template, &filled, id)?;
    Ok(NewMessage { id, contact: contact.clone(), text: filled.text, content })
}

fn content(job: &TemplateJob, template: &Template, filled: &Filled, id: MessageId) -> Result<String, RecipientProblem> {
    let tracked = |button: u8, card: Option<u8>| clicks::code(job.messaging.keys(), job.tenant, id, button, card);
    let mut content = templates::message_content(template, filled, tracked);
    if let Content::Template(content) = &mut content {
        content.components.extend(extra_component(job, template)?);
    }
    serde_json::to_string(&content)
        .map_err(|error| RecipientProblem::with_message(Refusal::BadParameters, Field::CustomParams, error))
}

/// The component that an order adds to the template. A template with an order details button needs an order, and an
/// order needs such a template. The status of an order needs a template without that button.
fn extra_component(job: &TemplateJob, template: &Template) -> Result<Option<Component>, RecipientProblem> {
    let shows_order = |button: &Button| button.action == Action::OrderDetails;
    let index = (0_u8..).zip(&template.content.buttons).find(|(_, button)| shows_order(button)).map(|(index, _)| index);
    let wrong =
        |message: &str| RecipientProblem::with_message(Refusal::BadParameters, job.send.fields.template, message);
    match (&job.extra, index) {
        (Some(TemplateExtra::Order(order)), Some(index)) => {
            Ok(Some(Component::Button { index, button: graph::Button::OrderDetails(order.clone()) }))
        }
        (Some(TemplateExtra::Order(_)), None) => Err(wrong("the template has no order details button")),
        (_, Some(_)) => Err(wrong("the template requests payment for an order: send it with an order")),
        (Some(TemplateExtra::OrderStatus(status)), None) => Ok(Some(Component::OrderStatus(status.clone()))),
        (None, None) => Ok(None),
    }
}
