//! `POST /api/ext/v3/sandbox/people/{person}/pay`: makes a simulated person pay an order.

use sandbox::driver::{Outcome, Paid, Pay};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxPay {
    /// The id of the message with the order.
    message: Option<String>,
    /// The order's reference. Without this and without `message`, the newest unpaid order is paid.
    #[schema(example = "order-42")]
    reference_id: Option<String>,
    /// Default: `captured`. `twice`: two payments for one order, or a second one for a paid order. `refunded`: paid,
    /// then refunded. `late`: reported later. `lost`: never reported. `disagree`: reported as paid, but a look-up
    /// denies it. `other_amount`: reported as paid, but a look-up shows half of the amount.
    outcome: Option<Outcome>,
    /// Seconds until the network reports the payment. Default: 0, or 3600 for `late`.
    #[schema(minimum = 0, maximum = 604_800, example = 30)]
    after_seconds: Option<u32>,
}

/// Simulate a payment
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/pay",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses(
        (status = 200, description = "The outcome.", body = Paid),
        (
            status = 409,
            description = "Reasons: `conflict` (the order is already paid, or the person's phone is offline).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn pay_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxPay>,
) -> ApiResult<Json<Paid>> {
    let SandboxPay { message, reference_id, outcome, after_seconds } = input;
    let pay = Pay { message, reference_id, outcome: outcome.unwrap_or_default(), after_seconds };
    Ok(Json(driver.sandbox.pay(driver.tenant, &person, pay).await?))
}
