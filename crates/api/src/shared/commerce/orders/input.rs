//! An order as clients write it. Parsing only; the rules are in `domain`.

use domain::commerce::money::Amount;
use domain::commerce::orders::{Charge, NewContent, NewItem};

use super::amount::{AmountInput, whole};
use crate::prelude::*;

/// The items and charges. The total is `Σ items + tax + shipping − discount`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object with items")]
pub(crate) struct NewOrderContent {
    /// `pending`, or omitted.
    #[schema(example = "pending", nullable = false)]
    status: Option<String>,
    #[schema(min_items = 1, max_items = 999)]
    items: Vec<NewOrderItem>,
    /// The sum of the items. Optional; if it is given and wrong, the order is refused.
    #[schema(nullable = false)]
    subtotal: Option<AmountInput>,
    #[schema(nullable = false)]
    tax: Option<NewOrderCharge>,
    #[schema(nullable = false)]
    shipping: Option<NewOrderCharge>,
    #[schema(nullable = false)]
    discount: Option<NewOrderCharge>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object with retailer_id, name, amount and quantity")]
pub(crate) struct NewOrderItem {
    /// Your id for the product. Alias: `retailerId`.
    #[serde(alias = "retailerId")]
    #[schema(example = "tea-250", max_length = 256)]
    retailer_id: String,
    #[schema(example = "Darjeeling, 250 g", max_length = 60)]
    name: String,
    /// The unit price.
    amount: AmountInput,
    /// The reduced unit price, which is charged instead. Alias: `saleAmount`.
    #[serde(alias = "saleAmount")]
    #[schema(nullable = false)]
    sale_amount: Option<AmountInput>,
    #[serde(deserialize_with = "whole")]
    #[schema(example = 2, minimum = 1)]
    quantity: i64,
}

/// An amount added to or subtracted from the price of the items.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object with value and offset")]
pub(crate) struct NewOrderCharge {
    #[serde(deserialize_with = "whole")]
    #[schema(example = 1050, minimum = 0)]
    value: i64,
    #[serde(deserialize_with = "whole")]
    #[schema(example = 100, minimum = 100, maximum = 100)]
    offset: i64,
    #[schema(example = "GST", max_length = 60, nullable = false)]
    description: Option<String>,
    /// For discounts only.
    #[schema(max_length = 60, nullable = false)]
    discount_program_name: Option<String>,
}

impl From<NewOrderCharge> for Charge {
    fn from(input: NewOrderCharge) -> Self {
        let NewOrderCharge { value, offset, description, discount_program_name } = input;
        Self { amount: Amount { value, offset }, description, discount_program_name }
    }
}

impl From<NewOrderItem> for NewItem {
    fn from(input: NewOrderItem) -> Self {
        Self {
            retailer_id: input.retailer_id,
            name: input.name,
            amount: Some(input.amount.into()),
            sale_amount: input.sale_amount.map(Amount::from),
            quantity: Some(input.quantity),
        }
    }
}

impl From<NewOrderContent> for NewContent {
    fn from(input: NewOrderContent) -> Self {
        Self {
            status: input.status,
            items: input.items.into_iter().map(NewItem::from).collect(),
            subtotal: input.subtotal.map(Amount::from),
            tax: input.tax.map(Charge::from),
            shipping: input.shipping.map(Charge::from),
            discount: input.discount.map(Charge::from),
        }
    }
}
