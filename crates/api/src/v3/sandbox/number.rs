//! `PUT /api/ext/v3/sandbox/number`: sets the registration of a number and the state of its access token at the
//! simulated network.

use axum::Json;
use sandbox::driver::{NumberView, SetNumber};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::JsonBody;

/// Absent members stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxSetNumber)]
pub(crate) struct SetNumberRequest {
    /// The channel, by id, name or number. Default: the default channel.
    #[schema(example = "Sandbox")]
    channel: Option<String>,
    /// `false`: the network answers messages and calls with 133010.
    #[schema(example = false)]
    registered: Option<bool>,
    /// `valid`, `expired` (the network answers 190) or `no_permission` (10 for messages, files and calls, 200 for
    /// everything else).
    #[schema(example = "expired")]
    token: Option<String>,
}

/// Set the state of a number at the network
#[utoipa::path(
    put,
    path = "/api/ext/v3/sandbox/number",
    tag = "sandbox",
    request_body = SetNumberRequest,
    responses(
        (status = 200, description = "The state of the number.", body = NumberView),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_sandbox_number(
    driver: Driver,
    JsonBody(input): JsonBody<SetNumberRequest>,
) -> ApiResult<Json<NumberView>> {
    let SetNumberRequest { channel, registered, token } = input;
    let wanted = SetNumber { channel, registered, token };
    Ok(Json(driver.sandbox.set_number(driver.tenant, wanted).await?))
}
