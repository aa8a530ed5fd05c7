//! `PUT /api/ext/v3/sandbox/number`: sets the registration of a number and the state of its access token at the
//! simulated network.

use sandbox::driver::{NumberView, SetNumber};

use super::Driver;
use crate::prelude::*;

/// Absent members stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxSetNumber {
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
#[described::path(
    put,
    path = "/api/ext/v3/sandbox/number",
    responses(
        (status = 200, description = "The state of the number.", body = NumberView),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_sandbox_number(
    driver: Driver,
    Json(input): Json<SandboxSetNumber>,
) -> ApiResult<Json<NumberView>> {
    let SandboxSetNumber { channel, registered, token } = input;
    let wanted = SetNumber { channel, registered, token };
    Ok(Json(driver.sandbox.set_number(driver.tenant, wanted).await?))
}
