//! Sends a template to one person or to many, accepted in one transaction. A recipient to whom nothing can be sent is
//! stored as refused, with the reason in the answer, and does not stop the others. A missing channel, or a template
//! that is missing or not approved, refuses the whole request.

mod decide;
mod job;
mod write;

pub use job::{MAX_RECIPIENTS, SendFields, TemplateRecipient, TemplateSend};
pub(crate) use job::{TemplateExtra, TemplateJob};

use domain::messaging::channels::Channel;
use domain::messaging::templates::Template;
use domain::people::contacts::{Target, TargetRef};
use domain::{Field, Id, Timestamp};
use store::{Engine, Tx};

use super::recipients::KnownContacts;
use super::{AcceptedBroadcast, Messages, Refusal};
use crate::base::idempotency::{save_outcome, saved_outcome};
use crate::messaging::templates;
use crate::{ActsFor, Cause, Error, Fault, Result, Thing};
use decide::decide;

/// Recipients that are read on the threads that answer requests; more are read on the threads for computing.
const FEW_RECIPIENTS: usize = 100;
const MAX_NAME: usize = 200;
const MAX_DAYS_AHEAD: i64 = 365;

#[boxed::futures]
impl Messages<'_> {
    pub async fn send_template(&self, caller: &dyn ActsFor, send: TemplateSend) -> Result<AcceptedBroadcast> {
        let now = self.0.now();
        check(&send, now)?;
        // Reading and deciding about thousands of recipients would delay other requests on the threads that answer them.
        let (send, targets) = if send.recipients.len() > FEW_RECIPIENTS {
            Box::pin(self.0.compute(async move { with_targets(send) })).await?
        } else {
            with_targets(send)
        };
        let job = self.job(caller, (send, targets), None, now);
        if job.send.dry_run {
            let db = self.0.db().clone();
            let is_apart = db.engine() == Engine::Sqlite;
            let preview = Box::pin(async move { db.preview(job, |tx, job| Box::pin(accept(tx, job))).await });
            // SQLite runs a preview on a thread of its own: a compute thread would only wait for it.
            return if is_apart { preview.await } else { Box::pin(self.0.compute(preview)).await? };
        }
        let is_due_now = job.send.scheduled_at.is_none();
        let accepted = self.0.db().write(job, |tx, job| Box::pin(accept(tx, job))).await?;
        if is_due_now {
            self.0.wake_sender(caller.tenant());
        }
        Ok(accepted)
    }

    /// Builds what the transaction of the send needs. Checks everything that needs no read of the database.
    pub(crate) fn template_job(
        &self,
        caller: &dyn ActsFor,
        send: TemplateSend,
        extra: Option<TemplateExtra>,
    ) -> Result<TemplateJob> {
        let now = self.0.now();
        check(&send, now)?;
        Ok(self.job(caller, with_targets(send), extra, now))
    }

    fn job(
        &self,
        caller: &dyn ActsFor,
        (send, targets): (TemplateSend, Vec<Option<TargetRef>>),
        extra: Option<TemplateExtra>,
        now: Timestamp,
    ) -> TemplateJob {
        TemplateJob {
            messaging: self.0.clone(),
            tenant: caller.tenant(),
            targets,
            operator: caller.operator(send.source),
            scope: caller.idempotency_scope().cloned(),
            broadcast_id: Id::new(now),
            extra,
            expires_at: None,
            send,
            now,
        }
    }
}

/// The send, with the parsed targets of its recipients.
fn with_targets(send: TemplateSend) -> (TemplateSend, Vec<Option<TargetRef>>) {
    let targets = send.recipients.iter().map(|one| target(&one.target)).collect();
    (send, targets)
}

fn check(send: &TemplateSend, now: Timestamp) -> Result<()> {
    let length = |text: &str| text.trim().chars().count();
    if length(&send.template) == 0 {
        return Err(Error::invalid(send.fields.template, "is required"));
    }
    if !(1..=MAX_NAME).contains(&length(&send.broadcast_name)) || send.broadcast_name.chars().any(char::is_control) {
        return Err(Error::invalid(send.fields.broadcast_name, format!("expected 1 to {MAX_NAME} characters")));
    }
    match send.recipients.len() {
        0 => return Err(Error::invalid(Field::Recipients, "expected at least one recipient")),
        1..=MAX_RECIPIENTS => {}
        many => return Err(Error::invalid(Field::Recipients, format!("{many} recipients, at most {MAX_RECIPIENTS}"))),
    }
    match send.scheduled_at {
        Some(at) if at <= now => Err(Error::invalid(Field::ScheduledAt, "is in the past")),
        Some(at) if at > now.plus_seconds(MAX_DAYS_AHEAD * 24 * 60 * 60) => {
            Err(Error::invalid(Field::ScheduledAt, format!("is more than {MAX_DAYS_AHEAD} days in the future")))
        }
        _ => Ok(()),
    }
}

/// Parses the target of a recipient. Returns None, and the recipient is refused, for an invalid target and for one that
/// begins with a channel: the request names the channel once for all recipients.
fn target(text: &str) -> Option<TargetRef> {
    Target::parse(text).ok().filter(|target| target.channel.is_none()).map(|target| target.person)
}

/// Accepts the send, or returns the outcome that is saved under the idempotency key. A dry run only reads, so it does
/// not wait for the writer.
async fn accept(tx: &mut Tx<'_>, job: &TemplateJob) -> Result<AcceptedBroadcast> {
    if let Some(scope) = &job.scope
        && let Some(outcome) = saved_outcome(tx, scope).await?
    {
        return serde_json::from_str(&outcome).map_err(|_| Error::Fault(Fault::StoredOutcome));
    }
    let accepted = insert_template_messages(tx, job).await?;
    if let Some(scope) = job.scope.as_ref().filter(|_| !job.send.dry_run) {
        save_outcome(tx, scope, &domain::to_json(&accepted)).await?;
    }
    Ok(accepted)
}

/// Writes the broadcast, its messages and outbox rows, new contacts and conversations, and the refused recipients.
/// Writes nothing in a dry run. The caller owns the transaction and handles idempotency keys.
pub(crate) async fn insert_template_messages(tx: &mut Tx<'_>, job: &TemplateJob) -> Result<AcceptedBroadcast> {
    let channel = channel(tx, job).await?;
    let template = template(tx, job, &channel).await?;
    let targets: Vec<&TargetRef> = job.targets.iter().flatten().collect();
    let known = KnownContacts::look_up(tx, job.tenant, &targets).await?;
    let decided = decide(job, &template, &known);
    if job.send.dry_run {
        return Ok(write::accepted(job, &channel, &template, &decided));
    }
    write::write(tx, job, &channel, &template, decided).await
}

async fn channel(tx: &mut Tx<'_>, job: &TemplateJob) -> Result<Channel> {
    let mut channels =
        store::messaging::channels::list_in(tx, job.tenant).await?.into_iter().map(|stored| stored.channel);
    let field = job.send.fields.channel;
    match &job.send.channel {
        Some(name) => {
            let missing = || Error::NoChannel { place: field.into(), name: name.clone() };
            channels.find(|one| one.matches(name)).ok_or_else(missing)
        }
        None => channels.find(|one| one.is_default).ok_or_else(|| Error::missing(field, Thing::Channel)),
    }
}

async fn template(tx: &mut Tx<'_>, job: &TemplateJob, channel: &Channel) -> Result<Template> {
    let TemplateSend { template: name, language, fields, .. } = &job.send;
    let found = templates::find_to_send(tx, job.tenant, &channel.account_id, name, language.as_deref()).await?;
    let template = found.ok_or_else(|| Error::missing(fields.template, Thing::Template))?;
    if template.is_usable() {
        return Ok(template);
    }
    let message = format!("the template is {}; only an approved one can be sent", template.status);
    Err(Error::refused(Cause::Send(Refusal::TemplateGone), fields.template, message))
}
