//! The one function that changes the status, the ledger and the look-ups of an order after its creation. Only claims of
//! look-ups (`due_lookups.rs`) and the order's contact are changed elsewhere.

use domain::commerce::orders::Order;
use domain::commerce::payments::{OrderEvent, Payment};
use domain::delivery::events::{Fact, OrderSnapshot};
use domain::{TenantId, Timestamp};
use store::Tx;

use crate::Result;

/// Writes `after` if it differs from `before`, the order as this transaction locked it, and appends the events of the
/// difference. Returns the order as it is written.
pub(crate) async fn save_and_emit(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    before: &Order,
    mut after: Order,
    now: Timestamp,
) -> Result<Order> {
    let payment = after.ledger.state();
    let events = after.update_derived(before, &payment, now);
    if after != *before {
        store::commerce::orders::update(tx, tenant, &after).await?;
    }
    emit(tx, tenant, &after, &payment, &events, now).await?;
    Ok(after)
}

async fn emit(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    order: &Order,
    payment: &Payment,
    events: &[OrderEvent],
    now: Timestamp,
) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let conversation_id = store::commerce::orders::conversation(tx, tenant, order).await?;
    let snapshot = OrderSnapshot { order: &order.doc, payment, channel_id: order.channel_id, conversation_id };
    let fact = |event: &OrderEvent| match event {
        OrderEvent::PaymentCaptured => Fact::payment_captured(now, snapshot),
        OrderEvent::OrderUpdated => Fact::order_updated(now, snapshot),
    };
    crate::base::emit::emit(tx, tenant, &events.iter().map(fact).collect::<Vec<_>>()).await
}
