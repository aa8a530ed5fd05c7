//! Orders: what a business asks a person to pay for, whether its sums are right, and which changes are allowed. Facts
//! about the payment are in `payments`.

mod check;
mod filter;
mod new;
mod order;
mod reference;
mod stage;
mod status;
mod texts;

pub use filter::OrderFilter;

use crate::base::schema::ToSchema;
pub use new::{NewContent, NewItem, NewOrder};
pub use order::{Order, OrderChange, OrderHistoryEntry, OrderOrigin};
pub use reference::{NotAReference, Reference};
use serde::{Deserialize, Serialize};
pub use stage::PaymentStage;
pub use status::{ForbiddenMove, OrderStatus};
pub use texts::{OrderTexts, check_description};

use crate::base::named::named;
use crate::commerce::money::{Amount, Currency, MoneyError};
pub use crate::messaging::templates::MemberProblem;

named! {
    #[derive(Deserialize, ToSchema)]
    #[serde(rename_all = "kebab-case")]
    #[schema(as = OrderType)]
    Goods { DigitalGoods => "digital-goods", PhysicalGoods => "physical-goods" }
}

/// What the business asks the person to pay for.
// Made by `NewOrder::check`, so its sums are right. Stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Order)]
pub struct OrderDocument {
    /// Chosen by the business; unique within the tenant.
    #[schema(
        value_type = String,
        example = "order-4711",
        min_length = 1,
        max_length = 35,
        pattern = "^[A-Za-z0-9_.-]+$"
    )]
    pub reference_id: Reference,
    #[serde(rename = "type")]
    pub goods: Goods,
    #[schema(value_type = String, example = "INR")]
    pub currency: Currency,
    pub total_amount: Amount,
    pub order: Content,
    /// The network's name for how the business is paid. Without one, the payment is not looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "shop-upi", nullable = false)]
    pub payment_configuration: Option<String>,
    /// `upi`, `payment_gateway:razorpay`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "upi", nullable = false)]
    pub payment_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = OrderContent)]
pub struct Content {
    pub status: OrderStatus,
    pub items: Vec<Item>,
    pub subtotal: Amount,
    #[schema(value_type = ChargeView)]
    pub tax: Charge,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ChargeView>, nullable = false)]
    pub shipping: Option<Charge>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ChargeView>, nullable = false)]
    pub discount: Option<Charge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = OrderItem)]
pub struct Item {
    #[schema(example = "tea-250")]
    pub retailer_id: String,
    #[schema(example = "Darjeeling, 250 g")]
    pub name: String,
    /// Unit price.
    pub amount: Amount,
    /// Reduced unit price, which is charged instead of `amount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sale_amount: Option<Amount>,
    #[schema(example = 2)]
    pub quantity: i64,
}

/// An amount added to the price of the items, or a discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ChargeView", into = "ChargeView")]
pub struct Charge {
    pub amount: Amount,
    pub description: Option<String>,
    /// For discounts only.
    pub discount_program_name: Option<String>,
}

/// An amount added to the price of the items, or a discount.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = OrderCharge)]
pub struct ChargeView {
    #[schema(example = 1050)]
    value: i64,
    #[schema(example = 100)]
    offset: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "GST", nullable = false)]
    description: Option<String>,
    /// For discounts only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    discount_program_name: Option<String>,
}

impl From<ChargeView> for Charge {
    fn from(ChargeView { value, offset, description, discount_program_name }: ChargeView) -> Self {
        Self { amount: Amount { value, offset }, description, discount_program_name }
    }
}

impl From<Charge> for ChargeView {
    fn from(Charge { amount, description, discount_program_name }: Charge) -> Self {
        Self { value: amount.value, offset: amount.offset, description, discount_program_name }
    }
}

impl Charge {
    pub const fn new(amount: Amount) -> Self {
        Self { amount, description: None, discount_program_name: None }
    }
}

impl Item {
    /// Price of all pieces.
    pub fn cost(&self) -> Result<Amount, MoneyError> {
        self.sale_amount.unwrap_or(self.amount).times(self.quantity)
    }
}

impl Content {
    /// Sum of the items.
    pub fn items_cost(&self) -> Result<Amount, MoneyError> {
        self.items.iter().try_fold(Amount::ZERO, |sum, item| sum.plus(item.cost()?))
    }

    /// Items + tax + shipping − discount.
    pub fn cost(&self) -> Result<Amount, MoneyError> {
        let of = |charge: &Option<Charge>| charge.as_ref().map_or(Amount::ZERO, |charge| charge.amount);
        self.items_cost()?.plus(self.tax.amount)?.plus(of(&self.shipping))?.minus(of(&self.discount))
    }
}
