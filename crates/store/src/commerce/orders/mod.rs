//! Orders: one row for each reference of a tenant, with its payment ledger in a column. The rules are in
//! `domain::commerce::orders` and `domain::commerce::payments`.

mod counts;
mod list;
mod lookups;
mod reassign;

pub use counts::{OrderCount, counts};
pub use list::{ListedOrder, page, show, show_in};
pub use lookups::{DueLookup, due_lookups, next_lookup, postpone_lookups};
pub use reassign::{erase_contact, move_to_contact};

use const_format::concatcp;
use domain::commerce::orders::{Order, OrderDocument};
use domain::commerce::payments::LookupAttempts;
use domain::{ConversationId, OrderId, TenantId};

use crate::base::columns::{insert, part, record, select, update};
use crate::{Params, Result, Tx, params, read};

statements! {
    with counts::statements(), list::statements(), lookups::statements(), reassign::statements();

    INSERT = concatcp!(
        insert!("orders": Order, "reference_id, currency, total, payment_configuration"),
        " ON CONFLICT DO NOTHING"
    );
    /// Locks the row, so that two transactions that change one order run one after the other; on SQLite all
    /// transactions do.
    BY_REFERENCE = select!(Order as "o", " FROM orders o WHERE o.tenant_id = $1 AND o.reference_id = $2 {for_update}");
    BY_ID = select!(Order as "o", " FROM orders o WHERE o.tenant_id = $1 AND o.id = $2 {for_update}");
    UPDATE = update!("orders": Changing);
    /// The conversation is read from the message, because a merge or an erasure of the contact changes it there.
    CONVERSATION = "SELECT m.conversation_id FROM messages m WHERE m.tenant_id = $1 AND m.id = $2";
}

record! { LookupAttempts { fruitless: "tries_fruitless", last: "tries_last", not_before: "tries_not_before" } }

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
        attempts: LookupAttempts,
        lookup_at,
        lookup_error: "trouble",
        created_at,
        updated_at,
    }
}

part! {
    /// The columns that `update` writes.
    Changing of Order {
        id,
        status,
        payment_status,
        doc,
        ledger,
        attempts: LookupAttempts,
        lookup_at,
        lookup_error: "trouble",
        updated_at,
    }
}

/// Returns false when the tenant has an order with this reference.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Order) -> Result<bool> {
    let OrderDocument { currency, total_amount, payment_configuration, .. } = &new.doc;
    let row =
        Params::for_tenant(tenant).and(new).with(new.reference_id()).with(currency.code()).with(total_amount.value);
    Ok(tx.execute(&INSERT, &row.with(payment_configuration)).await? == 1)
}

/// The order with this reference, locked until the transaction ends.
pub async fn by_reference(tx: &mut Tx<'_>, tenant: TenantId, reference: &str) -> Result<Option<Order>> {
    tx.row(&BY_REFERENCE, params![tenant, reference], read).await
}

/// The order with this id, locked until the transaction ends.
pub async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, id: OrderId) -> Result<Option<Order>> {
    tx.row(&BY_ID, params![tenant, id], read).await
}

/// Writes the columns that change with the payment: status, document, ledger, look-ups and time of the change. The
/// contact changes only with a merge or an erasure (`reassign.rs`).
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, order: &Order) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(&Changing(order))).await.map(drop)
}

/// The conversation of the order's message; none after the contact was erased.
pub async fn conversation(tx: &mut Tx<'_>, tenant: TenantId, order: &Order) -> Result<Option<ConversationId>> {
    Ok(tx.row(&CONVERSATION, params![tenant, order.message_id], read).await?.flatten())
}
