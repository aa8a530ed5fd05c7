//! A template to one person or to many: all of it is accepted in one transaction. A recipient to whom nothing can be
//! sent is told and does not stop the others.

mod decide;
mod write;

use channels::graph::{OrderDetails, OrderStatus};
use domain::channels::Channel;
use domain::contacts::{CustomParam, Target, TargetRef};
use domain::messages::{MessageOperator, MessageSource, Urgency};
use domain::templates::Template;
use domain::{BroadcastId, Id, TenantId, Timestamp};
use store::Tx;

use super::people::Known;
use super::{Accepted, Messages, Refusal, Stop, settled};
use crate::idempotency::{Once, bind, bound};
use crate::{ActsFor, App, Cause, Error, Fault, Result, Thing, templates};
use decide::decide;

pub const MAX_RECIPIENTS: usize = 10_000;
const MAX_NAME: usize = 200;
const LATEST_DAYS: i64 = 365;

#[derive(Debug, Clone)]
pub struct TemplateSend {
    /// Name, number or id; without it the default channel is meant.
    pub channel: Option<String>,
    /// The template's name, or its id.
    pub template: String,
    pub language: Option<String>,
    pub broadcast_name: String,
    pub recipients: Vec<Recipient>,
    pub scheduled_at: Option<Timestamp>,
    pub source: MessageSource,
    pub dry_run: bool,
    pub members: Members,
}

/// The wire's own names of the members, for errors.
#[derive(Debug, Clone, Copy)]
pub struct Members {
    pub channel: &'static str,
    pub template: &'static str,
    pub broadcast_name: &'static str,
    pub recipients: &'static str,
    pub params: &'static str,
}

#[derive(Debug, Clone)]
pub struct Recipient {
    pub target: String,
    /// The member that the target stands in.
    pub member: &'static str,
    pub local_id: Option<String>,
    pub params: Vec<CustomParam>,
}

/// What goes with a template beyond its own parts.
#[derive(Debug, Clone)]
pub(crate) enum Extra {
    /// Of its order details button.
    Order(Box<OrderDetails>),
    News(OrderStatus),
}

#[derive(Debug)]
pub(crate) struct Job {
    app: App,
    tenant: TenantId,
    send: TemplateSend,
    /// What each target means, by its shape.
    people: Vec<Option<TargetRef>>,
    operator: MessageOperator,
    once: Option<Once>,
    broadcast_id: BroadcastId,
    extra: Option<Extra>,
    now: Timestamp,
}

impl Messages<'_> {
    pub async fn send_template(&self, caller: &impl ActsFor, send: TemplateSend) -> Result<Accepted> {
        let job = self.template(caller, send, None)?;
        let leaves_now = !job.send.dry_run && job.send.scheduled_at.is_none();
        let accepted = settled(self.0.db().write(job, |tx, job| Box::pin(accept(tx, job))).await)?;
        if leaves_now {
            self.0.outbox_is_filled();
        }
        Ok(accepted)
    }

    /// All that the transaction of a send needs.
    pub(crate) fn template(&self, caller: &impl ActsFor, send: TemplateSend, extra: Option<Extra>) -> Result<Job> {
        let now = self.0.now();
        check(&send, now)?;
        Ok(Job {
            app: self.0.clone(),
            tenant: caller.tenant(),
            people: send.recipients.iter().map(|one| person(&one.target)).collect(),
            operator: caller.operator(send.source, false),
            once: caller.once().cloned(),
            broadcast_id: Id::new(now),
            extra,
            send,
            now,
        })
    }
}

fn check(send: &TemplateSend, now: Timestamp) -> Result<()> {
    let Members { template, broadcast_name, recipients, .. } = send.members;
    let length = |text: &str| text.trim().chars().count();
    if length(&send.template) == 0 {
        return Err(Error::invalid(template, "is required"));
    }
    if !(1..=MAX_NAME).contains(&length(&send.broadcast_name)) || send.broadcast_name.chars().any(char::is_control) {
        return Err(Error::invalid(broadcast_name, format!("expected 1 to {MAX_NAME} characters")));
    }
    match send.recipients.len() {
        0 => return Err(Error::invalid(recipients, "expected at least one recipient")),
        1..=MAX_RECIPIENTS => {}
        many => return Err(Error::invalid(recipients, format!("{many} recipients, at most {MAX_RECIPIENTS}"))),
    }
    match send.scheduled_at {
        Some(at) if at <= now => Err(Error::invalid("scheduled_at", "is over already")),
        Some(at) if at > now.plus_seconds(LATEST_DAYS * 24 * 60 * 60) => {
            Err(Error::invalid("scheduled_at", format!("is more than {LATEST_DAYS} days ahead")))
        }
        _ => Ok(()),
    }
}

/// A channel in front of a recipient is the request's own to name.
fn person(target: &str) -> Option<TargetRef> {
    Target::parse(target).ok().filter(|target| target.channel.is_none()).map(|target| target.person)
}

async fn accept(tx: &mut Tx<'_>, job: &Job) -> Result<Accepted, Stop<Accepted>> {
    if let Some(once) = &job.once
        && let Some(outcome) = bound(tx, once).await?
    {
        return Ok(serde_json::from_str(&outcome).map_err(|_| Error::Fault(Fault::StoredOutcome))?);
    }
    let accepted = put(tx, job).await?;
    if let Some(once) = &job.once {
        bind(tx, once, &serde_json::to_string(&accepted).unwrap_or_default()).await?;
    }
    if job.send.dry_run {
        return Err(Stop::DryRun(Box::new(accepted)));
    }
    Ok(accepted)
}

/// All messages with everything that belongs to them. Keys and dry runs are for whoever owns the transaction.
pub(crate) async fn put(tx: &mut Tx<'_>, job: &Job) -> Result<Accepted> {
    let channel = channel(tx, job).await?;
    let template = template(tx, job, &channel).await?;
    let people: Vec<&TargetRef> = job.people.iter().flatten().collect();
    let known = Known::look_up(tx, job.tenant, &people).await?;
    let decided = decide(job, &template, &known);
    write::write(tx, job, &channel, &template, decided).await
}

async fn channel(tx: &mut Tx<'_>, job: &Job) -> Result<Channel> {
    let mut channels = store::channels::list_in(tx, job.tenant).await?.into_iter().map(|stored| stored.channel);
    let parameter = job.send.members.channel.to_owned();
    match &job.send.channel {
        Some(name) => {
            channels.find(|one| one.is_meant(name)).ok_or_else(|| Error::NoChannel { parameter, name: name.clone() })
        }
        None => channels.find(|one| one.is_default).ok_or(Error::Missing { parameter, what: Thing::Channel }),
    }
}

async fn template(tx: &mut Tx<'_>, job: &Job, channel: &Channel) -> Result<Template> {
    let TemplateSend { template: name, language, members, .. } = &job.send;
    let found = templates::to_send(tx, job.tenant, &channel.account_id, name, language.as_deref()).await?;
    let missing = || Error::Missing { parameter: members.template.to_owned(), what: Thing::Template };
    let template = found.ok_or_else(missing)?;
    if template.is_usable() {
        return Ok(template);
    }
    let message = format!("the template is {}; only an approved one can be sent", template.status);
    Err(Error::refused(Cause::Send(Refusal::TemplateGone), members.template, message))
}

impl Job {
    fn urgency(template: &Template) -> Urgency {
        template.category.urgency()
    }

    fn due_at(&self) -> Timestamp {
        self.send.scheduled_at.unwrap_or(self.now)
    }
}
