//! A payment as both versions show it.

use domain::payments::Payment;
use serde::Serialize;
use utoipa::ToSchema;

/// How an order's payment stands, and who has said so.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentOfOrder)]
pub(crate) struct PaymentShape<'a> {
    #[schema(example = "order-4711")]
    pub reference_id: &'a str,
    #[serde(flatten)]
    pub payment: &'a Payment,
}
