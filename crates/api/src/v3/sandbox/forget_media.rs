//! `POST /api/ext/v3/sandbox/media/forget`: lets the simulated network delete files.

use axum::Json;
use sandbox::driver::ForgottenMedia;
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxForgetMedia)]
pub(crate) struct ForgetMediaRequest {
    /// The network's id of a file. Default: all files of the tenant.
    #[schema(example = "1037543291543636")]
    id: Option<String>,
}

/// Forget files of the network
///
/// The network does so by itself 30 days after a business uploaded a file and 7 days after a person sent one.
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/media/forget",
    tag = "sandbox",
    request_body = ForgetMediaRequest,
    responses(
        (status = 200, description = "The number of files.", body = ForgottenMedia),
        (status = 404, description = "Reasons: `sandbox_off`.", body = ErrorBody),
    ),
)]
pub(crate) async fn forget_sandbox_media(
    driver: Driver,
    JsonBody(input): JsonBody<ForgetMediaRequest>,
) -> ApiResult<Json<ForgottenMedia>> {
    Ok(Json(driver.sandbox.forget_media(driver.tenant, input.id).await?))
}
