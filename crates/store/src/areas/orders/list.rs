//! Orders as they are shown: one by its reference, or pages of them, the newest first.

use domain::messages::MessageState;
use domain::orders::Status;
use domain::payments::Status as PaymentStatus;
use domain::{ContactId, OrderId, TenantId, Timestamp};

use super::Order;
use crate::columns::{columns, select};
use crate::{Db, Param, Result, Statement, Tx, params, read};

macro_rules! shown {
    ($index:literal, $($which:tt)*) => {
        select!(
            Listed,
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
        shown!(
            $index,
            "AND o.created_at >= $2 AND (o.created_at, o.id) < ($3, $4)",
            $which,
            " ORDER BY o.created_at DESC, o.id DESC LIMIT $5"
        )
    };
}

static SHOW: Statement = Statement::new("orders.show", shown!("", "AND o.reference_id = $2"));
static ALL: Statement = Statement::new("orders.page", page!("{indexed_by orders_created}", ""));
static OF_CONTACT: Statement =
    Statement::new("orders.page_of_contact", page!("{indexed_by orders_contact}", " AND o.contact_id = $6"));
static OF_STATUS: Statement =
    Statement::new("orders.page_of_status", page!("{indexed_by orders_status}", " AND o.status = $6"));
static OF_PAYMENT: Statement =
    Statement::new("orders.page_of_payment", page!("{indexed_by orders_payment}", " AND o.payment_status = $6"));

pub(super) static STATEMENTS: [&Statement; 5] = [&SHOW, &ALL, &OF_CONTACT, &OF_STATUS, &OF_PAYMENT];

/// One of the last three is looked up by an index; the others are held against what is found.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub from: Timestamp,
    /// Only orders that come after this place in the list's order.
    pub before: (Timestamp, OrderId),
    pub contact: Option<ContactId>,
    pub payment_status: Option<PaymentStatus>,
    pub status: Option<Status>,
}

/// An order with whom it went to, as far as that is known now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub order: Order,
    pub phone: Option<String>,
    pub bsuid: Option<String>,
    /// Of the message that asks for the payment.
    pub message_state: Option<MessageState>,
}

columns! { Listed { order: (Order as "o"), phone: "c.phone", bsuid: "c.bsuid", message_state: "m.state" } }

impl Listed {
    fn is_meant(&self, filter: &Filter) -> bool {
        filter.contact.is_none_or(|contact| self.order.contact_id == Some(contact))
            && filter.payment_status.is_none_or(|status| self.order.payment_status == status)
            && filter.status.is_none_or(|status| self.order.status == status)
    }
}

pub async fn show(db: &Db, tenant: TenantId, reference: &str) -> Result<Option<Listed>> {
    db.row(&SHOW, params![tenant, reference], read).await
}

pub async fn show_in(tx: &mut Tx<'_>, tenant: TenantId, reference: &str) -> Result<Option<Listed>> {
    tx.row(&SHOW, params![tenant, reference], read).await
}

/// What was found of the next so many, and the place of the last one that was looked at, if there may be more.
pub async fn page(
    db: &Db,
    tenant: TenantId,
    filter: &Filter,
    limit: i64,
) -> Result<(Vec<Listed>, Option<(Timestamp, OrderId)>)> {
    let (at, id) = filter.before;
    let mut params: Vec<Param<'_>> = vec![tenant.into(), filter.from.into(), at.into(), id.into(), limit.into()];
    let statement = match (filter.contact, filter.payment_status, filter.status) {
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
    let mut all: Vec<Listed> = db.rows(statement, &params, read).await?;
    let is_full = i64::try_from(all.len()) == Ok(limit);
    let last = all.last().filter(|_| is_full).map(|one| (one.order.created_at, one.order.id));
    all.retain(|one| one.is_meant(filter));
    Ok((all, last))
}
