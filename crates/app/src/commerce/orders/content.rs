//! Orders and their status changes as contents of the network's messages.

use channels::graph::{self, Interaction, OrderDetails, OrderState, OrderUpdate};
use domain::commerce::money;
use domain::commerce::orders::{self, OrderDocument, OrderStatus};

pub(super) fn details(order: &OrderDocument) -> OrderDetails {
    OrderDetails {
        reference_id: order.reference_id.to_string(),
        goods: match order.goods {
            orders::Goods::DigitalGoods => graph::Goods::DigitalGoods,
            orders::Goods::PhysicalGoods => graph::Goods::PhysicalGoods,
        },
        payment_type: order.payment_type.clone(),
        payment_configuration: order.payment_configuration.clone(),
        payment_settings: Vec::new(),
        currency: order.currency.code().to_owned(),
        total_amount: amount(order.total_amount),
        beneficiaries: Vec::new(),
        order: content(&order.order),
    }
}

fn content(content: &orders::Content) -> graph::OrderContents {
    graph::OrderContents {
        status: state(content.status),
        catalog_id: None,
        expiration: None,
        items: content.items.iter().map(item).collect(),
        subtotal: amount(content.subtotal),
        tax: charge(&content.tax),
        shipping: content.shipping.as_ref().map(charge),
        discount: content.discount.as_ref().map(charge),
    }
}

fn item(item: &orders::Item) -> graph::OrderItem {
    graph::OrderItem {
        retailer_id: item.retailer_id.clone(),
        name: item.name.clone(),
        amount: amount(item.amount),
        sale_amount: item.sale_amount.map(amount),
        quantity: item.quantity,
    }
}

fn charge(charge: &orders::Charge) -> graph::Charge {
    graph::Charge {
        amount: amount(charge.amount),
        description: charge.description.clone(),
        discount_program_name: charge.discount_program_name.clone(),
    }
}

const fn amount(amount: money::Amount) -> graph::Amount {
    graph::Amount { value: amount.value, offset: amount.offset }
}

pub(super) fn status_update(reference: &str, status: OrderStatus, description: Option<&str>) -> graph::OrderStatus {
    let order = OrderUpdate { status: state(status), description: description.map(str::to_owned) };
    graph::OrderStatus { reference_id: reference.to_owned(), order, payment: None }
}

const fn state(status: OrderStatus) -> OrderState {
    match status {
        OrderStatus::Pending => OrderState::Pending,
        OrderStatus::Processing => OrderState::Processing,
        OrderStatus::PartiallyShipped => OrderState::PartiallyShipped,
        OrderStatus::Shipped => OrderState::Shipped,
        OrderStatus::Completed => OrderState::Completed,
        OrderStatus::Canceled => OrderState::Canceled,
    }
}

/// What a message about an order carries: the order itself, or its new status.
#[derive(Debug, Clone)]
pub(super) enum OrderPayload {
    Details(Box<OrderDetails>),
    Status(graph::OrderStatus),
}

impl OrderPayload {
    pub fn into_interaction(self) -> Interaction {
        match self {
            Self::Details(details) => Interaction::OrderDetails(details),
            Self::Status(status) => Interaction::OrderStatus(status),
        }
    }
}
