//! Reads of orders for answers: one by its reference, or a page, newest first.

use domain::commerce::orders::{Order, OrderFilter};
use domain::messaging::messages::MessageState;
use domain::{OrderId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Param, Result, Tx, params, read};

macro_rules! select_orders {
    ($index:literal, $($which:tt)*) => {
        select!(
            ListedOrder,
            " FROM orders o ",
            $index,
            " LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = o.contact_id
                 LEFT JOIN messages m ON m.tenant_id = $1 AND m.id = o.message_id
             WHERE o.tenant_id = $1 ",
            $($which)*
        )
    };
}

macro_rules! page {
    ($index:literal, $which:literal) => {
        select_orders!(
            $index,
            "AND o.created_at >= $2 AND (o.created_at, o.id) < ($3, $4)",
            $which,
            " ORDER BY o.created_at DESC, o.id DESC LIMIT $5"
        )
    };
}

statements! {
    SHOW = select_orders!("", "AND o.reference_id = $2");
    ALL = page!("{indexed_by orders_created}", "");
    OF_CONTACT = page!("{indexed_by orders_contact}", " AND o.contact_id = $6");
    OF_STATUS = page!("{indexed_by orders_status}", " AND o.status = $6");
    OF_PAYMENT = page!("{indexed_by orders_payment}", " AND o.payment_status = $6");
}

/// An order with the present names of its contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedOrder {
    pub order: Order,
    pub phone: Option<String>,
    pub bsuid: Option<String>,
    pub name: Option<String>,
    pub username: Option<String>,
    /// State of the message that asks for the payment.
    pub message_state: Option<MessageState>,
}

columns! {
    ListedOrder {
        order: (Order as "o"),
        phone: "c.phone",
        bsuid: "c.bsuid",
        name: "c.name",
        username: "c.username",
        message_state: "m.state",
    }
}

pub async fn show(db: &Db, tenant: TenantId, reference: &str) -> Result<Option<ListedOrder>> {
    db.row(&SHOW, params![tenant, reference], read).await
}

pub async fn show_in(tx: &mut Tx<'_>, tenant: TenantId, reference: &str) -> Result<Option<ListedOrder>> {
    tx.row(&SHOW, params![tenant, reference], read).await
}

/// Reads up to `limit` orders by one index and returns those that the filter allows, with the position of the last
/// order read when there may be more.
pub async fn page(
    db: &Db,
    tenant: TenantId,
    filter: &OrderFilter,
    limit: i64,
) -> Result<(Vec<ListedOrder>, Option<(Timestamp, OrderId)>)> {
    let (at, id) = filter.before;
    let mut params: Vec<Param<'_>> = vec![tenant.into(), filter.from.into(), at.into(), id.into(), limit.into()];
    let statement = match (filter.contact, filter.payment_status(), filter.status) {
        (Some(contact), ..) => {
            params.push(contact.into());
            &OF_CONTACT
        }
        (None, Some(status), _) => {
            params.push(status.name().into());
            &OF_PAYMENT
        }
        (None, None, Some(status)) => {
            params.push(status.name().into());
            &OF_STATUS
        }
        (None, None, None) => &ALL,
    };
    let mut all: Vec<ListedOrder> = db.rows(statement, &params, read).await?;
    let is_full = i64::try_from(all.len()) == Ok(limit);
    let last = all.last().filter(|_| is_full).map(|one| (one.order.created_at, one.order.id));
    all.retain(|one| filter.allows(&one.order));
    Ok((all, last))
}
