//! Orders: what a business asks a person to pay for, whether it adds up, and how it goes on. What was paid is in
//! `payments`; this module knows nothing of it.

mod check;
mod new;
mod reference;
mod status;
mod words;

pub use new::{NewContent, NewItem, NewOrder};
pub use reference::{NotAReference, Reference};
use serde::{Deserialize, Serialize};
pub use status::{Senseless, Status};
use utoipa::ToSchema;
pub use words::{Words, check_description};

use crate::money::{Amount, Currency, MoneyError};
use crate::named::named;
pub use crate::templates::Flaw;

named! {
    #[derive(Deserialize, ToSchema)]
    #[serde(rename_all = "kebab-case")]
    #[schema(as = OrderType)]
    Goods { DigitalGoods => "digital-goods", PhysicalGoods => "physical-goods" }
}

/// What the business asked to pay for.
// Found sound: it adds up. Made by `NewOrder::check`, kept as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Order {
    /// The business's own; unique in the tenant.
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
    /// The name under which the network knows how the business is paid. Without one there is no look-up.
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
    pub status: Status,
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
    /// Of one piece.
    pub amount: Amount,
    /// Of one piece, where it is cheaper today: this is what counts then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sale_amount: Option<Amount>,
    #[schema(example = 2)]
    pub quantity: i64,
}

/// What is added to the price of the items, or taken off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ChargeView", into = "ChargeView")]
pub struct Charge {
    pub amount: Amount,
    pub description: Option<String>,
    /// Of a discount only.
    pub discount_program_name: Option<String>,
}

/// What is added to the price of the items, or taken off: the amount beside the other members.
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
    /// Of a discount only.
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
    /// What all pieces of it cost.
    pub fn cost(&self) -> Result<Amount, MoneyError> {
        self.sale_amount.unwrap_or(self.amount).times(self.quantity)
    }
}

impl Content {
    /// Σ items.
    pub fn items_cost(&self) -> Result<Amount, MoneyError> {
        self.items.iter().try_fold(Amount::ZERO, |sum, item| sum.plus(item.cost()?))
    }

    /// Σ items + tax + shipping − discount.
    pub fn cost(&self) -> Result<Amount, MoneyError> {
        let of = |charge: &Option<Charge>| charge.as_ref().map_or(Amount::ZERO, |charge| charge.amount);
        self.items_cost()?.plus(self.tax.amount)?.plus(of(&self.shipping))?.minus(of(&self.discount))
    }
}
