//! `POST /api/ext/v3/sandbox/people/{person}/pay`: lets a simulated person pay an order.

use sandbox::driver::{Outcome, Paid, Pay};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxPay {
    /// The id of the message with the order.
    message: Option<String>,
    /// The reference of the order. Without it and without `message`: the newest unpaid order.
    #[schema(example = "order-42")]
    reference_id: Option<String>,
    /// Default: `captured`. `twice`: two payments for one order, or a second one for a paid order. `refunded`: paid,
    /// then refunded. `late`: reported later. `lost`: never reported. `disagree`: reported as paid, while a look-up
    /// denies it. `other_amount`: reported as paid, while a look-up has half of the amount.
    outcome: Option<Outcome>,
    /// Seconds until the network reports the payment. Default: 0, and one hour for `late`.
    #[schema(minimum = 0, maximum = 604_800, example = 30)]
    after_seconds: Option<u32>,
}

/// Let a person pay
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/pay",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    responses(
        (status = 200, description = "The outcome.", body = Paid),
        (status = 409, description = "Reasons: `conflict`: the order is paid already, or the person's phone is offline.", body = ErrorBody),
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
