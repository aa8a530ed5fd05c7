//! What becomes of each recipient. Decides and makes; writes nothing.

use std::collections::HashMap;

use channels::graph::{self, Component, Content};
use domain::contacts::{Contact, TargetRef};
use domain::messages::local_id;
use domain::templates::{Action, Button, Filled, Template};
use domain::{ContactId, Id, MessageId};
use store::contacts::Addressee;
use store::outbox::Standing;

use super::{Extra, Job, Recipient};
use crate::clicks;
use crate::messages::people::{Known, addressee, fresh};
use crate::messages::sender::may_get_templates;
use crate::messages::{Problem, Refusal};
use crate::templates;

#[derive(Debug)]
pub(super) struct Decided {
    pub verdicts: Vec<Verdict>,
    /// Contacts for whom nobody was known.
    pub new: Vec<Contact>,
}

/// In the order of the recipients.
#[derive(Debug)]
pub(super) enum Verdict {
    Leaves(Box<Leaving>),
    Stays { contact: Option<ContactId>, phone: Option<String>, problem: Problem },
}

#[derive(Debug)]
pub(super) struct Leaving {
    pub id: MessageId,
    pub contact: Addressee,
    pub text: String,
    pub content: String,
}

/// By what somebody is recognised among the recipients.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key<'a> {
    Known(ContactId),
    Stranger(&'a TargetRef),
}

pub(super) fn decide(job: &Job, template: &Template, known: &Known) -> Decided {
    let mut seen: HashMap<Key<'_>, Option<Addressee>> = HashMap::with_capacity(job.people.len());
    let mut decided = Decided { verdicts: Vec::with_capacity(job.people.len()), new: Vec::new() };
    for (recipient, person) in job.send.recipients.iter().zip(&job.people) {
        let Some(person) = person else {
            decided.stays(None, Problem::new(Refusal::InvalidTarget, recipient.member));
            continue;
        };
        let (contact, made) = match known.get(person) {
            Some(contact) => (contact.clone(), None),
            None => match fresh(person, recipient.member, job.now) {
                Ok(made) => (addressee(&made), Some(made)),
                Err(problem) => {
                    decided.stays(None, problem);
                    continue;
                }
            },
        };
        // Somebody unknown has no id yet to be recognised by.
        let key = if made.is_some() { Key::Stranger(person) } else { Key::Known(contact.id) };
        if let Some(first) = seen.get(&key) {
            decided.stays(first.as_ref(), Problem::new(Refusal::Duplicate, recipient.member));
            continue;
        }
        let outcome = leaving(job, template, recipient, &contact);
        // Nobody is made for somebody to whom nothing leaves.
        let is_there = made.is_none() || outcome.is_ok();
        seen.insert(key, is_there.then(|| contact.clone()));
        match outcome {
            Ok(leaving) => {
                decided.new.extend(made);
                decided.verdicts.push(Verdict::Leaves(Box::new(leaving)));
            }
            Err(problem) => decided.stays(made.is_none().then_some(&contact), problem),
        }
    }
    decided
}

impl Decided {
    fn stays(&mut self, contact: Option<&Addressee>, problem: Problem) {
        let (id, phone) = (contact.map(|one| one.id), contact.and_then(|one| one.phone.clone()));
        self.verdicts.push(Verdict::Stays { contact: id, phone, problem });
    }
}

fn leaving(job: &Job, template: &Template, recipient: &Recipient, contact: &Addressee) -> Result<Leaving, Problem> {
    if let Some(local_id) = &recipient.local_id {
        local_id::check(local_id).map_err(|why| Problem::told(Refusal::InvalidLocalId, "local_message_id", why))?;
    }
    if contact.is_blocked {
        return Err(Problem::new(Refusal::Blocked, recipient.member));
    }
    let standing = Standing { opted_in: contact.opted_in, allow_broadcast: contact.allow_broadcast, is_blocked: false };
    if !may_get_templates(standing, Job::urgency(template).rank()) {
        return Err(Problem::new(Refusal::OptedOut, recipient.member));
    }
    let filled = template.fill(&recipient.params).map_err(|flaw| {
        let path = if flaw.path.is_empty() { job.send.members.params.to_owned() } else { flaw.path };
        Problem::told(Refusal::BadParameters, &path, flaw.message)
    })?;
    let id = Id::new(job.now);
    let content = written(job, template, &filled, id)?;
    Ok(Leaving { id, contact: contact.clone(), text: filled.text, content })
}

fn written(job: &Job, template: &Template, filled: &Filled, id: MessageId) -> Result<String, Problem> {
    let tracked = |button: u8, card: Option<u8>| clicks::code(job.app.keys(), job.tenant, id, button, card);
    let mut content = templates::content(template, filled, tracked);
    if let Content::Template(content) = &mut content {
        content.components.extend(extra(job, template)?);
    }
    serde_json::to_string(&content).map_err(|error| Problem::told(Refusal::BadParameters, "custom_params", error))
}

/// An order goes with the one button that shows it, and that button with nothing else.
fn extra(job: &Job, template: &Template) -> Result<Option<Component>, Problem> {
    let shows_order = |button: &Button| button.action == Action::OrderDetails;
    let place = (0_u8..).zip(&template.content.buttons).find(|(_, button)| shows_order(button)).map(|(place, _)| place);
    let wrong = |message: &str| Problem::told(Refusal::BadParameters, job.send.members.template, message);
    match (&job.extra, place) {
        (Some(Extra::Order(order)), Some(index)) => {
            Ok(Some(Component::Button { index, button: graph::Button::OrderDetails(order.clone()) }))
        }
        (Some(Extra::Order(_)), None) => Err(wrong("the template has no order details button")),
        (_, Some(_)) => Err(wrong("the template asks for the payment of an order: send it with one")),
        (Some(Extra::News(news)), None) => Ok(Some(Component::OrderStatus(news.clone()))),
        (None, None) => Ok(None),
    }
}
