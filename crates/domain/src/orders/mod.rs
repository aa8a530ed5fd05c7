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
pub use words::{Words, check_description};

use crate::money::{Amount, Currency, MoneyError};
use crate::named::named;
pub use crate::templates::Flaw;

named! {
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    Goods { DigitalGoods => "digital-goods", PhysicalGoods => "physical-goods" }
}

/// An order that was found sound: it adds up. Made by [`NewOrder::check`], kept as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub reference_id: Reference,
    #[serde(rename = "type")]
    pub goods: Goods,
    pub currency: Currency,
    pub total_amount: Amount,
    pub order: Content,
    /// The name under which the network knows how the business is paid. Without one there is no look-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_configuration: Option<String>,
    /// `upi`, `payment_gateway:razorpay`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub status: Status,
    pub items: Vec<Item>,
    pub subtotal: Amount,
    pub tax: Charge,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipping: Option<Charge>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<Charge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub retailer_id: String,
    pub name: String,
    /// Of one piece.
    pub amount: Amount,
    /// Of one piece, where it is cheaper today: this is what counts then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sale_amount: Option<Amount>,
    pub quantity: i64,
}

/// What is added to the price of the items, or taken off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    #[serde(flatten)]
    pub amount: Amount,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of a discount only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_program_name: Option<String>,
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
