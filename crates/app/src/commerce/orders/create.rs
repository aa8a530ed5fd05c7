//! Creates an order: checked, stored and queued for the person in one transaction.

use domain::commerce::orders::{NewOrder, Order, OrderDocument, OrderOrigin};
use domain::messaging::messages::{Message, MessageOperator, MessageSource};
use domain::{Field, Id, OrderId, TenantId, Timestamp};
use store::Tx;

use super::Orders;
use super::addressing::{Addressing, MessageForm, PreparedMessage, QueuedMessage};
use super::content::{OrderPayload, details};
use super::errors::invalid_order;
use super::replay::{find_previous, store_result};
use super::view::{OrderView, load_view};
use crate::base::idempotency::IdempotencyScope;
use crate::messaging::conversations::SeveralOpen;
use crate::messaging::messages::{Rollback, dry_run_as_done};
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct OrderSend {
    pub target: String,
    /// Name, number or id of a channel; used if the target does not begin with one.
    pub channel: Option<String>,
    pub order: NewOrder,
    pub form: MessageForm,
    pub source: MessageSource,
    pub local_id: Option<String>,
    pub dry_run: bool,
    /// What happens to a target without a channel while several conversations are open.
    pub several: SeveralOpen,
}

#[derive(Debug, Clone)]
pub struct CreatedOrder {
    pub order: OrderView,
    pub message: Message,
}

/// Everything that the transaction needs.
#[derive(Debug)]
struct OrderCreation {
    tenant: TenantId,
    id: OrderId,
    doc: OrderDocument,
    message: PreparedMessage,
    operator: MessageOperator,
    scope: Option<IdempotencyScope>,
    dry_run: bool,
    now: Timestamp,
}

#[boxed::futures]
impl Orders<'_> {
    /// Creates an order and queues its message. An order with a wrong sum, or with texts that the network does not
    /// accept, is refused with all its problems. A reference that the tenant used before is a conflict.
    pub async fn create(&self, caller: &dyn ActsFor, request: OrderSend) -> Result<CreatedOrder> {
        let doc = request.order.check().map_err(|problems| invalid_order(&problems))?;
        let now = self.0.now();
        let addressing = Addressing {
            target: request.target,
            channel: request.channel,
            reference: doc.reference_id.to_string(),
            source: request.source,
            local_id: request.local_id,
            several: request.several,
        };
        let payload = OrderPayload::Details(Box::new(details(&doc)));
        let creation = OrderCreation {
            tenant: caller.tenant(),
            id: Id::new(now),
            message: self.prepare_message(caller, addressing, request.form, payload)?,
            doc,
            operator: caller.operator(request.source),
            scope: caller.idempotency_scope().cloned(),
            dry_run: request.dry_run,
            now,
        };
        let created =
            dry_run_as_done(self.0.db().write(creation, |tx, creation| Box::pin(create_in(tx, creation))).await)?;
        if !request.dry_run {
            self.0.messaging().wake_sender(caller.tenant());
        }
        Ok(created)
    }
}

async fn create_in(tx: &mut Tx<'_>, creation: &OrderCreation) -> Result<CreatedOrder, Rollback<CreatedOrder>> {
    let OrderCreation { tenant, doc, scope, .. } = creation;
    if let Some((order, message)) = find_previous(tx, *tenant, scope.as_ref()).await? {
        return Ok(CreatedOrder { order, message: message.ok_or(Error::NotFound(Thing::Message))? });
    }
    let reference = doc.reference_id.as_str();
    if store::commerce::orders::by_reference(tx, *tenant, reference).await?.is_some() {
        return Err(reference_used().into());
    }
    let QueuedMessage { message, contact_id } = creation.message.enqueue(tx, *tenant).await?;
    let origin = OrderOrigin {
        channel_id: message.channel_id,
        contact_id,
        message_id: message.id,
        operator: creation.operator.clone(),
    };
    // Another transaction may have inserted the reference since the read above.
    if !store::commerce::orders::insert(tx, *tenant, &Order::new(creation.id, doc.clone(), origin, creation.now))
        .await?
    {
        return Err(reference_used().into());
    }
    store_result(tx, scope.as_ref(), reference, Some(message.id)).await?;
    let created = CreatedOrder { order: load_view(tx, *tenant, reference).await?, message };
    if creation.dry_run {
        return Err(Rollback::DryRun(Box::new(created)));
    }
    Ok(created)
}

fn reference_used() -> Error {
    Error::conflict(Field::ReferenceId, "an order with this reference already exists")
}
