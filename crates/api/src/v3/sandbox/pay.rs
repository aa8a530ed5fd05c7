//! `POST /api/ext/v3/sandbox/people/{person}/pay`: somebody pays an order.

use axum::Json;
use sandbox::driver::{Outcome, Paid, Pay};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxPay)]
pub(crate) struct PayOrderRequest {
    /// The id of the message that asks for it.
    message: Option<String>,
    /// Without this and `message`: the newest order that is not paid.
    #[schema(example = "order-42")]
    reference_id: Option<String>,
    /// `captured` when absent. `twice`: two payments for one order, or the second of one that is paid. `refunded`: paid,
    /// and given back. `late`: reported later. `lost`: never reported. `disagree`: reported as paid, while a look-up says
    /// that it is not. `other_amount`: reported as paid, while a look-up shows half of the amount.
    outcome: Option<Outcome>,
    /// The network tells after so many seconds. At once when absent; what is `late` after an hour.
    #[schema(minimum = 0, maximum = 604_800, example = 30)]
    after_seconds: Option<u32>,
}

/// Let a person pay
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/pay",
    tag = "sandbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    request_body = PayOrderRequest,
    responses(
        (status = 200, description = "What came of it.", body = Paid),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`: it is paid already.", body = ErrorBody),
    ),
)]
pub(crate) async fn pay_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    JsonBody(input): JsonBody<PayOrderRequest>,
) -> ApiResult<Json<Paid>> {
    let PayOrderRequest { message, reference_id, outcome, after_seconds } = input;
    let pay = Pay { message, reference_id, outcome: outcome.unwrap_or_default(), after_seconds };
    Ok(Json(driver.sandbox.pay(driver.tenant, &person, pay).await?))
}
