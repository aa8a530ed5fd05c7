//! `POST /api/ext/v3/sandbox/people/{person}/prefer`: somebody wants marketing no more, or again.

use axum::Json;
use sandbox::driver::{Prefer, Preferred};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxPrefer)]
pub(crate) struct SetPreferenceRequest {
    /// May the business send marketing?
    #[schema(example = false)]
    marketing: bool,
    /// The channel that tells it: id, name or number; without one, the default.
    channel: Option<String>,
}

/// Let a person stop or resume marketing
///
/// Marketing templates to whoever stopped it fail from then on, whichever the channel.
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/prefer",
    tag = "sandbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    request_body = SetPreferenceRequest,
    responses(
        (status = 200, description = "What the person wants from now on.", body = Preferred),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn prefer_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    JsonBody(input): JsonBody<SetPreferenceRequest>,
) -> ApiResult<Json<Preferred>> {
    let SetPreferenceRequest { marketing, channel } = input;
    Ok(Json(driver.sandbox.prefer(driver.tenant, &person, Prefer { marketing, channel }).await?))
}
