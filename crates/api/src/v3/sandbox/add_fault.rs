//! `POST /api/ext/v3/sandbox/faults`: something is to go wrong.

use axum::Json;
use sandbox::driver::{Fail, FaultView};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewSandboxFault)]
pub(crate) struct AddFaultRequest {
    /// Of answers: `refuse`, `fail`, `server_error`, `reset`, `accept_then_reset`, and `lookup_error` to payment
    /// look-ups. Of what the network posts: `duplicate`, `reorder`, `delay`, `batch`.
    #[schema(example = "refuse")]
    kind: String,
    /// How often it strikes; once when absent.
    #[schema(example = 1, minimum = 1, maximum = 100_000)]
    count: Option<u32>,
    /// Of `refuse` and `fail`: the network's code.
    #[schema(example = 131_026)]
    code: Option<i64>,
    /// Of `server_error` and `lookup_error`.
    #[schema(minimum = 500, maximum = 599)]
    status: Option<u16>,
    /// Of `duplicate`: how often each is posted.
    #[schema(minimum = 2, maximum = 10)]
    copies: Option<u32>,
    /// Of `delay`.
    #[schema(minimum = 1, maximum = 604_800)]
    seconds: Option<u32>,
    /// Of `batch`: how many changes.
    #[schema(minimum = 2, maximum = 200)]
    size: Option<u32>,
    /// Of those of answers to messages: only for messages to this person, by phone number, BSUID, username or name.
    person: Option<String>,
}

/// Order a fault
///
/// What is sent then fails in this way, or what arrives is disturbed.
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/faults",
    tag = "sandbox",
    request_body = AddFaultRequest,
    responses(
        (status = 200, description = "The fault.", body = FaultView),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn add_sandbox_fault(
    driver: Driver,
    JsonBody(input): JsonBody<AddFaultRequest>,
) -> ApiResult<Json<FaultView>> {
    let AddFaultRequest { kind, count, code, status, copies, seconds, size, person } = input;
    let fail = Fail { kind, count, code, status, copies, seconds, size, person };
    Ok(Json(driver.sandbox.fail(driver.tenant, fail).await?))
}
