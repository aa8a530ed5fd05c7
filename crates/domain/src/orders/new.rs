//! An order as a caller writes it, before it is known whether it makes sense.

use serde::{Deserialize, Serialize};

use super::Charge;
use crate::money::Amount;

/// Nothing of it is checked. What is missing is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewOrder {
    pub reference_id: String,
    #[serde(rename = "type")]
    pub goods: String,
    pub currency: String,
    pub total_amount: Option<Amount>,
    pub order: NewContent,
    pub payment_configuration: Option<String>,
    pub payment_type: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewContent {
    /// `pending`, which may be left out.
    pub status: Option<String>,
    pub items: Vec<NewItem>,
    /// Left out, it is what the items make.
    pub subtotal: Option<Amount>,
    /// Left out, it is nothing.
    pub tax: Option<Charge>,
    pub shipping: Option<Charge>,
    pub discount: Option<Charge>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewItem {
    pub retailer_id: String,
    pub name: String,
    pub amount: Option<Amount>,
    pub sale_amount: Option<Amount>,
    pub quantity: Option<i64>,
}
