//! `POST /api/ext/v3/sandbox/media/forget`: makes the simulated network delete files.

use sandbox::driver::ForgottenMedia;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxForgetMedia {
    /// The network's id for a file. Default: all of the tenant's files.
    #[schema(example = "1037543291543636")]
    id: Option<String>,
}

/// Make the network forget files
///
/// The network also forgets files on its own: 30 days after a business uploads a file, and 7 days after a person sends
/// one.
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
