//! `POST /api/ext/v3/sandbox/people/{person}/pay`: somebody pays an order.

use axum::Json;
use sandbox::driver::{Outcome, Paid, Pay};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use super::schema::{SandboxOutcome, SandboxPaid};
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxPay)]
pub(crate) struct Input {
    /// The id of the message that asks for it.
    message: Option<String>,
    /// Without this and `message`: the newest order that is not paid.
    #[schema(example = "order-42")]
    reference_id: Option<String>,
    /// `captured` when absent. `twice`: two payments for one order. `refunded`: paid, and given back. `late`: reported
    /// after an hour. `lost`: never reported. `disagree`: reported as paid, while a look-up says that it is not.
    #[schema(value_type = Option<SandboxOutcome>)]
    outcome: Option<Outcome>,
}

/// Let a person pay
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/pay",
    tag = "sandbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    request_body = Input,
    responses(
        (status = 200, description = "What came of it.", body = SandboxPaid),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`: it is paid already.", body = ErrorBody),
    ),
)]
pub(crate) async fn pay_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    JsonBody(input): JsonBody<Input>,
) -> ApiResult<Json<Paid>> {
    let Input { message, reference_id, outcome } = input;
    let pay = Pay { message, reference_id, outcome: outcome.unwrap_or_default() };
    Ok(Json(driver.sandbox.pay(driver.tenant, &person, pay).await?))
}
