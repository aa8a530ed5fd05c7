//! `POST /api/ext/v3/sandbox/media/forget`: lets the simulated network delete files.

use sandbox::driver::ForgottenMedia;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxForgetMedia {
    /// The network's id of a file. Default: all files of the tenant.
    #[schema(example = "1037543291543636")]
    id: Option<String>,
}

/// Forget files of the network
///
/// The network does so by itself 30 days after a business uploaded a file and 7 days after a person sent one.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/media/forget",
    responses((status = 200, description = "The number of files.", body = ForgottenMedia)),
)]
pub(crate) async fn forget_sandbox_media(
    driver: Driver,
    Json(input): Json<SandboxForgetMedia>,
) -> ApiResult<Json<ForgottenMedia>> {
    Ok(Json(driver.sandbox.forget_media(driver.tenant, input.id).await?))
}
