//! The one door through which an order changes after it was made.

use domain::events::{Fact as Happened, FactKind, OrderSnapshot};
use domain::payments::{Fact, Payment, changes, told_as};
use domain::{TenantId, Timestamp};
use store::Tx;
use store::orders::Order;

use crate::Result;
use crate::events::append;

/// Somebody said something about the payment of an order, which is held. True when its state is another one now.
pub(crate) fn learn(order: &mut Order, fact: &Fact) -> bool {
    let before = order.ledger.state();
    order.ledger.learn(fact);
    !changes(&before, &order.ledger.state()).is_empty()
}

/// Writes down what became of an order that is held, if it is different at all, and tells what is to be told. Answers it
/// as it is written.
pub(crate) async fn wrote(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    before: &Order,
    mut after: Order,
    now: Timestamp,
) -> Result<Order> {
    let payment = after.ledger.state();
    let told = told(before, &after, &payment);
    after.payment_status = payment.status;
    after.lookup_at = next_lookup(&after, &payment);
    if !told.is_empty() {
        after.updated_at = now.to_millis();
    }
    if after != *before {
        store::orders::update(tx, tenant, &after).await?;
    }
    tell(tx, tenant, &after, &payment, &told, now).await?;
    Ok(after)
}

/// None: there is nothing to find out, or no name under which the network could be asked.
pub(crate) fn next_lookup(order: &Order, payment: &Payment) -> Option<Timestamp> {
    order.doc.payment_configuration.as_ref().and_then(|_| payment.next_lookup(order.tries, order.id))
}

/// Each change of state once: the payment's, and that of the order itself.
fn told(before: &Order, after: &Order, payment: &Payment) -> Vec<FactKind> {
    let mut told = told_as(&changes(&before.ledger.state(), payment));
    if before.status != after.status && !told.contains(&FactKind::OrderUpdated) {
        told.push(FactKind::OrderUpdated);
    }
    told
}

async fn tell(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    order: &Order,
    payment: &Payment,
    kinds: &[FactKind],
    now: Timestamp,
) -> Result<()> {
    if kinds.is_empty() {
        return Ok(());
    }
    let conversation_id = store::orders::conversation(tx, tenant, order).await?;
    let told = OrderSnapshot { order: &order.doc, payment, channel_id: order.channel_id, conversation_id };
    let fact = |kind: &FactKind| match kind {
        FactKind::PaymentCaptured => Happened::payment_captured(now, told),
        _ => Happened::order_updated(now, told),
    };
    append(tx, tenant, &kinds.iter().map(fact).collect::<Vec<_>>()).await
}
