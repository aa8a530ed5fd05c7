//! Orders and what is known of their payments: one row for each reference of a tenant. What a ledger means and when a
//! look-up is due is for the domain to say.

mod list;
mod lookups;
mod onward;

pub use list::{Filter, Listed, page, show, show_in};
pub use lookups::{Due, due, next_lookup, postpone};
pub use onward::{forget, give};

use const_format::concatcp;
use domain::messages::MessageOperator;
use domain::orders::{Order as Doc, Status};
use domain::payments::{Ledger, Status as PaymentStatus, Tries};
use domain::{ChannelId, ContactId, ConversationId, MessageId, OrderId, TenantId, Timestamp};

use crate::columns::{insert, part, record, select, update};
use crate::{Params, Result, Statement, Tx, params, read};

static INSERT: Statement = Statement::new(
    "orders.insert",
    concatcp!(
        insert!("orders": Order, "reference_id, currency, total, payment_configuration"),
        " ON CONFLICT DO NOTHING"
    ),
);
/// Two who learn something about one order follow each other, also where readers do not block writers.
static BY_REFERENCE: Statement = Statement::new(
    "orders.by_reference",
    select!(Order as "o", " FROM orders o WHERE o.tenant_id = $1 AND o.reference_id = $2 {for_update}"),
);
static BY_ID: Statement = Statement::new(
    "orders.by_id",
    select!(Order as "o", " FROM orders o WHERE o.tenant_id = $1 AND o.id = $2 {for_update}"),
);
static UPDATE: Statement = Statement::new("orders.update", update!("orders": Changing));
/// The message moves with its conversation, and out of it when its person is deleted.
static CONVERSATION: Statement = Statement::new(
    "orders.conversation",
    "SELECT m.conversation_id FROM messages m WHERE m.tenant_id = $1 AND m.id = $2",
);

static OWN: [&Statement; 5] = [&INSERT, &BY_REFERENCE, &BY_ID, &UPDATE, &CONVERSATION];

pub(crate) fn statements() -> impl Iterator<Item = &'static Statement> {
    OWN.into_iter().chain(list::STATEMENTS).chain(lookups::STATEMENTS).chain(onward::STATEMENTS)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub channel_id: ChannelId,
    /// None once the person was deleted: records of money stay, whose they were does not.
    pub contact_id: Option<ContactId>,
    /// The message that asks for the payment.
    pub message_id: MessageId,
    pub status: Status,
    pub payment_status: PaymentStatus,
    pub doc: Doc,
    pub ledger: Ledger,
    /// Who made it. Every new order has one; None where a later version wrote what this one cannot parse.
    pub operator: Option<MessageOperator>,
    pub tries: Tries,
    /// When the network is to be asked how the payment stands; None: there is nothing to find out.
    pub lookup_at: Option<Timestamp>,
    /// Why the last look-up brought no answer.
    pub trouble: Option<String>,
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
}

impl Order {
    pub fn reference_id(&self) -> &str {
        self.doc.reference_id.as_str()
    }
}

record! { Tries { fruitless: "tries_fruitless", last: "tries_last", not_before: "tries_not_before" } }

record! {
    Order {
        id,
        channel_id,
        contact_id,
        message_id,
        status,
        payment_status,
        doc,
        ledger,
        operator,
        tries: Tries,
        lookup_at,
        trouble,
        created_at,
        updated_at,
    }
}

part! {
    /// Whatever may change of an order after it was made.
    Changing of Order { id, status, payment_status, doc, ledger, tries: Tries, lookup_at, trouble, updated_at }
}

/// False when the tenant has an order with this reference.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Order) -> Result<bool> {
    let Doc { currency, total_amount, payment_configuration, .. } = &new.doc;
    let row = Params::of(tenant).and(new).with(new.reference_id()).with(currency.code()).with(total_amount.value);
    Ok(tx.execute(&INSERT, &row.with(payment_configuration)).await? == 1)
}

/// Held until the transaction ends.
pub async fn by_reference(tx: &mut Tx<'_>, tenant: TenantId, reference: &str) -> Result<Option<Order>> {
    tx.row(&BY_REFERENCE, params![tenant, reference], read).await
}

/// Held until the transaction ends.
pub async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, id: OrderId) -> Result<Option<Order>> {
    tx.row(&BY_ID, params![tenant, id], read).await
}

/// Writes whatever may change of an order after it was made.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, order: &Order) -> Result<()> {
    tx.execute(&UPDATE, &Params::of(tenant).and(&Changing(order))).await.map(drop)
}

/// The conversation in which it was sent; none after its person was deleted.
pub async fn conversation(tx: &mut Tx<'_>, tenant: TenantId, order: &Order) -> Result<Option<ConversationId>> {
    Ok(tx.row(&CONVERSATION, params![tenant, order.message_id], read).await?.flatten())
}
