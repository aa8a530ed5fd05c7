//! How an order goes on: what the business says, and the message that tells the person.

use domain::orders::{Status, check_description};
use domain::payments::Fact;
use domain::{ContactId, TenantId, Timestamp};
use store::Tx;
use store::messages::Message;
use store::orders::Order;

use super::content::{About, news};
use super::create::{before, flawed, keep, shown};
use super::way::{Job as Leaves, Way};
use super::{NO_ORDER, Orders, Shown, Via};
use crate::idempotency::IdempotencyScope;
use crate::messages::{Refusal, Rollback, dry_run_as_done};
use crate::payments::{learn, wrote};
use crate::{ActsFor, Cause, Error, Result};
use domain::messages::MessageSource;

#[derive(Debug, Clone)]
pub struct StatusSend {
    pub reference: String,
    pub status: String,
    /// What there is to say about it.
    pub description: Option<String>,
    pub via: Via,
    pub source: MessageSource,
    pub dry_run: bool,
}

#[derive(Debug, Clone)]
pub struct StatusSent {
    pub order: Shown,
    /// None when there was nothing to tell: the order had this status already, and nothing is said about it.
    pub message: Option<Message>,
}

#[derive(Debug)]
struct Job {
    tenant: TenantId,
    reference: String,
    status: Status,
    /// None when there is nothing to say but the status.
    description: Option<String>,
    leaves: Leaves,
    /// To whom the message is made out.
    contact: ContactId,
    scope: Option<IdempotencyScope>,
    dry_run: bool,
    now: Timestamp,
}

impl Orders<'_> {
    /// Tells the person and moves the order on. A move that makes no sense, or that the payment forbids, is a conflict.
    /// The same status once more is no move: with a description it is told, without one nothing happens.
    pub async fn set_status(&self, caller: &impl ActsFor, send: StatusSend) -> Result<StatusSent> {
        let status = named(&send.status)?;
        if let Some(description) = &send.description {
            check_description(description).map_err(|flaw| flawed(&[flaw]))?;
        }
        let found = store::orders::show(self.0.db(), caller.tenant(), &send.reference).await?.ok_or(NO_ORDER)?.order;
        let contact = found.contact_id.ok_or_else(gone)?;
        let way = Way {
            target: contact.to_string(),
            member: "reference_id",
            channel: Some(found.channel_id.to_string()),
            reference: send.reference.clone(),
            source: send.source,
            local_id: None,
        };
        let about = About::News(news(&send.reference, status, send.description.as_deref()));
        let job = Job {
            tenant: caller.tenant(),
            reference: send.reference,
            status,
            description: send.description,
            leaves: self.job(caller, way, send.via, about)?,
            contact,
            scope: caller.idempotency_scope().cloned(),
            dry_run: send.dry_run,
            now: self.0.now(),
        };
        let done = dry_run_as_done(self.0.db().write(job, |tx, job| Box::pin(accept(tx, job))).await)?;
        if !send.dry_run && done.message.is_some() {
            self.0.wake_sender();
        }
        Ok(done)
    }
}

fn named(status: &str) -> Result<Status> {
    let status = status.trim();
    status.to_ascii_lowercase().parse().map_err(|()| {
        let names: Vec<&str> = Status::ALL.iter().map(|one| one.name()).collect();
        Error::invalid("status", format!("expected {}", names.join(", ")))
    })
}

fn gone() -> Error {
    Error::refused(Cause::Send(Refusal::ContactGone), "reference_id", Refusal::ContactGone.text())
}

async fn accept(tx: &mut Tx<'_>, job: &Job) -> Result<StatusSent, Rollback<StatusSent>> {
    if let Some((order, message)) = before(tx, job.tenant, job.scope.as_ref()).await? {
        return Ok(StatusSent { order, message });
    }
    let order = store::orders::by_reference(tx, job.tenant, &job.reference).await?.ok_or(NO_ORDER)?;
    let moves = order.status.check_move(job.status).map_err(|error| Error::conflict("status", error))?;
    let mut message = None;
    if moves || job.description.is_some() {
        if order.contact_id != Some(job.contact) {
            return Err(elsewhere(&order).into());
        }
        message = Some(job.leaves.put(tx, job.tenant).await?.message);
    }
    if moves {
        let after = moved(&order, job.status, job.now)?;
        wrote(tx, job.tenant, &order, after, job.now).await?;
    }
    keep(tx, job.scope.as_ref(), &job.reference, message.as_ref().map(|one| one.id)).await?;
    let sent = StatusSent { order: shown(tx, job.tenant, &job.reference).await?, message };
    if job.dry_run {
        return Err(Rollback::DryRun(Box::new(sent)));
    }
    Ok(sent)
}

/// The contact was merged or deleted since we looked.
fn elsewhere(order: &Order) -> Error {
    match order.contact_id {
        None => gone(),
        Some(_) => Error::conflict("reference_id", "its contact was merged just now; try again"),
    }
}

fn moved(order: &Order, status: Status, now: Timestamp) -> Result<Order> {
    let mut after = order.clone();
    if status == Status::Canceled {
        order.ledger.state().check_cancel().map_err(|error| Error::conflict("status", error))?;
        learn(&mut after, &Fact::Canceled { at: now });
    }
    after.status = status;
    after.doc.order.status = status;
    Ok(after)
}
