//! An order as answers show it.

use domain::TenantId;
use domain::commerce::orders::Order;
use domain::commerce::payments::Payment;
use domain::messaging::messages::MessageState;
use store::Tx;
use store::commerce::orders::ListedOrder;

use crate::{Error, Result, Thing};

pub(crate) const NO_ORDER: Error = Error::NotFound(Thing::Order);

/// An order with the state of its payment.
#[derive(Debug, Clone)]
pub struct OrderView {
    /// The order; `order.doc` is its document, with the present status.
    pub order: Order,
    pub payment: Payment,
    /// Number or BSUID of the contact; none after the contact was erased.
    pub target: Option<String>,
    /// The contact's name, handle and number; none without one, and after the contact was erased.
    pub name: Option<String>,
    pub username: Option<String>,
    pub phone: Option<String>,
    /// State of the message that asks for the payment.
    pub message_state: Option<MessageState>,
}

impl From<ListedOrder> for OrderView {
    fn from(listed: ListedOrder) -> Self {
        let ListedOrder { order, phone, bsuid, name, username, message_state } = listed;
        let name = name.filter(|name| !name.is_empty());
        let (payment, target) = (order.ledger.state(), phone.clone().or(bsuid));
        Self { order, payment, target, name, username, phone, message_state }
    }
}

pub(super) async fn load_view(tx: &mut Tx<'_>, tenant: TenantId, reference: &str) -> Result<OrderView> {
    Ok(store::commerce::orders::show_in(tx, tenant, reference).await?.ok_or(NO_ORDER)?.into())
}
