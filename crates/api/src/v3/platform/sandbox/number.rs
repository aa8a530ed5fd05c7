//! `PUT /api/ext/v3/sandbox/number`: sets a number's registration and its access token's state at the simulated
//! network.

use sandbox::driver::{NumberView, SetNumber};

use super::Driver;
use crate::prelude::*;

/// Omitted members keep their values.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxSetNumber {
    /// The channel's id, name or number. Default: the default channel.
    #[schema(example = "Sandbox")]
    channel: Option<String>,
    /// `false`: the network rejects messages and calls with code 133010.
    #[schema(example = false)]
    registered: Option<bool>,
    /// `valid`, `expired` (the network returns code 190) or `no_permission` (code 10 for messages, files and calls,
    /// code 200 for everything else).
    #[schema(example = "expired")]
    token: Option<String>,
}

/// Set a number's state at the network
#[described::path(
    put,
    path = "/api/ext/v3/sandbox/number",
    responses(
        (status = 200, description = "The number's state.", body = NumberView),
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
