//! An order as the request has it, before it is checked.

use serde::{Deserialize, Serialize};

use super::Charge;
use crate::commerce::money::Amount;

/// Unchecked. Missing members are `None` or empty.
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
    /// `pending` or absent.
    pub status: Option<String>,
    pub items: Vec<NewItem>,
    /// The sum of the items if absent.
    pub subtotal: Option<Amount>,
    /// Zero if absent.
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
