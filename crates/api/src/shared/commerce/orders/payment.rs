//! The wire shape of a payment, in V1 and V3.

use domain::commerce::payments::Payment;

use crate::prelude::*;

/// An order's payment, and what its status is based on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PaymentOfOrder<'a> {
    #[schema(example = "order-4711")]
    pub reference_id: &'a str,
    #[serde(flatten)]
    pub payment: &'a Payment,
}
