//! Moves an order to another status and sends the person a message about it, in one transaction.

use domain::commerce::orders::{Order, OrderStatus, check_description};
use domain::messaging::messages::{Message, MessageSource};
use domain::{ContactId, Field, Step, TenantId, Timestamp};
use store::Tx;

use super::addressing::{Addressing, MessageForm, PreparedMessage};
use super::content::{OrderPayload, status_update};
use super::errors::invalid_order;
use super::replay::{find_previous, store_result};
use super::view::{OrderView, load_view};
use super::{NO_ORDER, Orders};
use crate::base::idempotency::IdempotencyScope;
use crate::commerce::payments::save_and_emit;
use crate::messaging::conversations::SeveralOpen;
use crate::messaging::messages::{Refusal, Rollback, dry_run_as_done};
use crate::{ActsFor, Cause, Error, Result};

#[derive(Debug, Clone)]
pub struct OrderStatusSend {
    pub reference: String,
    pub status: String,
    /// A text about the status for the person.
    pub description: Option<String>,
    pub form: MessageForm,
    pub source: MessageSource,
    pub dry_run: bool,
}

#[derive(Debug, Clone)]
pub struct UpdatedOrder {
    pub order: OrderView,
    /// None when the order had this status before and the request has no description.
    pub message: Option<Message>,
}

/// Everything that the transaction needs.
#[derive(Debug)]
struct StatusChange {
    tenant: TenantId,
    reference: String,
    status: OrderStatus,
    has_description: bool,
    message: PreparedMessage,
    /// The recipient of the prepared message.
    contact: ContactId,
    scope: Option<IdempotencyScope>,
    dry_run: bool,
    now: Timestamp,
}

#[boxed::futures]
impl Orders<'_> {
    /// Moves the order to a status and sends the message. A move that the present status or the payment forbids is a
    /// conflict. Repeating the present status is no move: with a description the message is sent, without one nothing
    /// happens.
    pub async fn set_status(&self, caller: &dyn ActsFor, request: OrderStatusSend) -> Result<UpdatedOrder> {
        let status = parse_status(&request.status)?;
        if let Some(description) = &request.description {
            check_description(description).map_err(|problem| invalid_order(&[problem]))?;
        }
        let found = store::commerce::orders::show(self.0.db(), caller.tenant(), &request.reference).await?;
        let order = found.ok_or(NO_ORDER)?.order;
        let contact = order.contact_id.ok_or_else(contact_gone)?;
        let addressing = Addressing {
            target: contact.to_string(),
            channel: Some(order.channel_id.to_string()),
            reference: request.reference.clone(),
            source: request.source,
            local_id: None,
            several: SeveralOpen::Refuse,
        };
        let update = status_update(&request.reference, status, request.description.as_deref());
        let change = StatusChange {
            tenant: caller.tenant(),
            reference: request.reference,
            status,
            has_description: request.description.is_some(),
            message: self.prepare_message(caller, addressing, request.form, OrderPayload::Status(update))?,
            contact,
            scope: caller.idempotency_scope().cloned(),
            dry_run: request.dry_run,
            now: self.0.now(),
        };
        let updated =
            dry_run_as_done(self.0.db().write(change, |tx, change| Box::pin(set_status_in(tx, change))).await)?;
        if !request.dry_run && updated.message.is_some() {
            self.0.messaging().wake_sender(caller.tenant());
        }
        Ok(updated)
    }
}

fn parse_status(text: &str) -> Result<OrderStatus> {
    text.trim().to_ascii_lowercase().parse().map_err(|()| {
        let names: Vec<&str> = OrderStatus::ALL.iter().map(|one| one.name()).collect();
        Error::invalid(Field::Status, format!("expected {}", names.join(", ")))
    })
}

fn contact_gone() -> Error {
    Error::refused(Cause::Send(Refusal::ContactGone), Field::ReferenceId, Refusal::ContactGone.text())
}

async fn set_status_in(tx: &mut Tx<'_>, change: &StatusChange) -> Result<UpdatedOrder, Rollback<UpdatedOrder>> {
    let StatusChange { tenant, reference, scope, .. } = change;
    if let Some((order, message)) = find_previous(tx, *tenant, scope.as_ref()).await? {
        return Ok(UpdatedOrder { order, message });
    }
    let order = store::commerce::orders::by_reference(tx, *tenant, reference).await?.ok_or(NO_ORDER)?;
    let moves = order.status.check_move(change.status).map_err(|error| Error::conflict(Field::Status, error))?;
    let mut message = None;
    if moves || change.has_description {
        if order.contact_id != Some(change.contact) {
            return Err(contact_changed(&order).into());
        }
        let enqueued = change.message.enqueue(tx, *tenant).await;
        message = Some(enqueued.map_err(about_the_order)?.message);
    }
    if moves {
        let mut after = order.clone();
        after.move_to(change.status, change.now).map_err(|error| Error::conflict(Field::Status, error))?;
        save_and_emit(tx, *tenant, &order, after, change.now).await?;
    }
    store_result(tx, scope.as_ref(), reference, message.as_ref().map(|one| one.id)).await?;
    let updated = UpdatedOrder { order: load_view(tx, *tenant, reference).await?, message };
    if change.dry_run {
        return Err(Rollback::DryRun(Box::new(updated)));
    }
    Ok(updated)
}

/// The request names the order, not the target of the message.
fn about_the_order(error: Error) -> Error {
    error.renamed(|field| (field == Field::Target).then_some(Step::Field(Field::ReferenceId)))
}

/// The error when the contact was merged or erased after the message was prepared.
fn contact_changed(order: &Order) -> Error {
    match order.contact_id {
        None => contact_gone(),
        Some(_) => Error::conflict(Field::ReferenceId, "its contact has just been merged; try again"),
    }
}
