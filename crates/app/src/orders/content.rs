//! Orders and news of them in the network's words.

use channels::graph::{
    Amount, Charge, Goods, Interaction, OrderContents, OrderDetails, OrderItem, OrderState, OrderStatus, OrderUpdate,
};
use domain::money;
use domain::orders::{self, Status};

pub(super) fn details(order: &orders::Order) -> OrderDetails {
    OrderDetails {
        reference_id: order.reference_id.to_string(),
        goods: match order.goods {
            orders::Goods::DigitalGoods => Goods::DigitalGoods,
            orders::Goods::PhysicalGoods => Goods::PhysicalGoods,
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

fn content(content: &orders::Content) -> OrderContents {
    OrderContents {
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

fn item(item: &orders::Item) -> OrderItem {
    OrderItem {
        retailer_id: item.retailer_id.clone(),
        name: item.name.clone(),
        amount: amount(item.amount),
        sale_amount: item.sale_amount.map(amount),
        quantity: item.quantity,
    }
}

fn charge(charge: &orders::Charge) -> Charge {
    Charge {
        amount: amount(charge.amount),
        description: charge.description.clone(),
        discount_program_name: charge.discount_program_name.clone(),
    }
}

const fn amount(amount: money::Amount) -> Amount {
    Amount { value: amount.value, offset: amount.offset }
}

pub(super) fn news(reference: &str, status: Status, description: Option<&str>) -> OrderStatus {
    let order = OrderUpdate { status: state(status), description: description.map(str::to_owned) };
    OrderStatus { reference_id: reference.to_owned(), order, payment: None }
}

const fn state(status: Status) -> OrderState {
    match status {
        Status::Pending => OrderState::Pending,
        Status::Processing => OrderState::Processing,
        Status::PartiallyShipped => OrderState::PartiallyShipped,
        Status::Shipped => OrderState::Shipped,
        Status::Completed => OrderState::Completed,
        Status::Canceled => OrderState::Canceled,
    }
}

/// What a message about an order carries.
#[derive(Debug, Clone)]
pub(super) enum About {
    Details(Box<OrderDetails>),
    News(OrderStatus),
}

impl About {
    pub fn interaction(self) -> Interaction {
        match self {
            Self::Details(details) => Interaction::OrderDetails(details),
            Self::News(news) => Interaction::OrderStatus(news),
        }
    }
}
