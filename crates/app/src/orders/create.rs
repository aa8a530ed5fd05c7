//! A new order: checked, stored and on its way to the person, in one transaction.

use domain::orders::{NewOrder, Order as Doc};
use domain::payments::{Fact, Ledger, Tries};
use domain::{ContactId, Id, MessageId, OrderId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::messages::Message;
use store::orders::Order;

use super::content::{About, details};
use super::way::{Job as Leaves, Leaving, Way};
use super::{NO_ORDER, Orders, Shown, Via};
use crate::idempotency::{IdempotencyScope, save_outcome, saved_outcome};
use crate::messages::{Rollback, dry_run_as_done};
use crate::payments::next_lookup;
use crate::{ActsFor, Error, Result, Thing};
use domain::messages::{MessageOperator, MessageSource};

#[derive(Debug, Clone)]
pub struct OrderSend {
    pub target: String,
    /// The wire's own name of the target's member, for errors.
    pub member: &'static str,
    /// Name, number or id, where the target does not have one in front.
    pub channel: Option<String>,
    pub order: NewOrder,
    pub via: Via,
    pub source: MessageSource,
    pub local_id: Option<String>,
    pub dry_run: bool,
}

#[derive(Debug, Clone)]
pub struct OrderSent {
    pub order: Shown,
    pub message: Message,
}

#[derive(Debug)]
struct Job {
    tenant: TenantId,
    id: OrderId,
    doc: Doc,
    leaves: Leaves,
    operator: MessageOperator,
    scope: Option<IdempotencyScope>,
    dry_run: bool,
    now: Timestamp,
}

/// The order, and the message if there was one.
pub(super) type Done = (Shown, Option<Message>);

/// What an idempotency key remembers: the rest lies in the order and the message.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    reference_id: String,
    message_id: Option<MessageId>,
}

impl Orders<'_> {
    /// An order that does not add up, or with words that the network does not take, is refused with the first flaw; a
    /// reference that was used before is a conflict.
    pub async fn create(&self, caller: &impl ActsFor, send: OrderSend) -> Result<OrderSent> {
        let doc = send.order.check().map_err(|flaws| flawed(&flaws))?;
        let now = self.0.now();
        let way = Way {
            target: send.target,
            member: send.member,
            channel: send.channel,
            reference: doc.reference_id.to_string(),
            source: send.source,
            local_id: send.local_id,
        };
        let job = Job {
            tenant: caller.tenant(),
            id: Id::new(now),
            leaves: self.job(caller, way, send.via, About::Details(Box::new(details(&doc))))?,
            doc,
            operator: caller.operator(send.source, false),
            scope: caller.idempotency_scope().cloned(),
            dry_run: send.dry_run,
            now,
        };
        let done = dry_run_as_done(self.0.db().write(job, |tx, job| Box::pin(accept(tx, job))).await)?;
        if !send.dry_run {
            self.0.wake_sender();
        }
        Ok(done)
    }
}

/// The first of them; the others are in its words.
pub(super) fn flawed(flaws: &[domain::orders::Flaw]) -> Error {
    let Some((first, others)) = flaws.split_first() else { return Error::invalid("order", "is not sound") };
    let others: Vec<String> = others.iter().map(ToString::to_string).collect();
    match others.as_slice() {
        [] => Error::invalid(&first.path, &first.message),
        others => Error::invalid(&first.path, format!("{}; {}", first.message, others.join("; "))),
    }
}

async fn accept(tx: &mut Tx<'_>, job: &Job) -> Result<OrderSent, Rollback<OrderSent>> {
    if let Some((order, message)) = before(tx, job.tenant, job.scope.as_ref()).await? {
        return Ok(OrderSent { order, message: message.ok_or(Error::NotFound(Thing::Message))? });
    }
    let reference = job.doc.reference_id.as_str();
    if store::orders::by_reference(tx, job.tenant, reference).await?.is_some() {
        return Err(used().into());
    }
    let Leaving { message, contact_id } = job.leaves.put(tx, job.tenant).await?;
    // Somebody may have been faster since we looked.
    if !store::orders::insert(tx, job.tenant, &order(job, &message, contact_id)).await? {
        return Err(used().into());
    }
    keep(tx, job.scope.as_ref(), reference, Some(message.id)).await?;
    let sent = OrderSent { order: shown(tx, job.tenant, reference).await?, message };
    if job.dry_run {
        return Err(Rollback::DryRun(Box::new(sent)));
    }
    Ok(sent)
}

fn used() -> Error {
    Error::conflict("reference_id", "an order with this reference was made before")
}

fn order(job: &Job, message: &Message, contact_id: ContactId) -> Order {
    let mut ledger = Ledger::default();
    let Doc { total_amount, currency, .. } = &job.doc;
    ledger.learn(&Fact::Ordered { at: job.now, amount: *total_amount, currency: *currency });
    let payment = ledger.state();
    let mut order = Order {
        id: job.id,
        channel_id: message.channel_id,
        contact_id: Some(contact_id),
        message_id: message.id,
        status: job.doc.order.status,
        payment_status: payment.status,
        doc: job.doc.clone(),
        ledger,
        operator: Some(job.operator.clone()),
        tries: Tries::default(),
        lookup_at: None,
        trouble: None,
        created_at: job.now.to_millis(),
        updated_at: job.now.to_millis(),
    };
    order.lookup_at = next_lookup(&order, &payment);
    order
}

pub(super) async fn shown(tx: &mut Tx<'_>, tenant: TenantId, reference: &str) -> Result<Shown> {
    Ok(store::orders::show_in(tx, tenant, reference).await?.ok_or(NO_ORDER)?.into())
}

/// What this request did already, under the same key.
pub(super) async fn before(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    scope: Option<&IdempotencyScope>,
) -> Result<Option<Done>> {
    let Some(scope) = scope else { return Ok(None) };
    let Some(outcome) = saved_outcome(tx, scope).await? else { return Ok(None) };
    let kept: Kept = serde_json::from_str(&outcome).map_err(|_| NO_ORDER)?;
    let message = match kept.message_id {
        Some(id) => Some(store::messages::by_id(tx, tenant, id).await?.ok_or(Error::NotFound(Thing::Message))?),
        None => None,
    };
    Ok(Some((shown(tx, tenant, &kept.reference_id).await?, message)))
}

/// Remembers it under the key, if there is one.
pub(super) async fn keep(
    tx: &mut Tx<'_>,
    scope: Option<&IdempotencyScope>,
    reference: &str,
    message: Option<MessageId>,
) -> Result<()> {
    let Some(scope) = scope else { return Ok(()) };
    let kept = Kept { reference_id: reference.to_owned(), message_id: message };
    save_outcome(tx, scope, &serde_json::to_string(&kept).unwrap_or_default()).await
}
