//! `POST /api/ext/v3/sandbox/people/{person}/call`: somebody calls the business.

use axum::Json;
use sandbox::driver::{Called, PlaceCall};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxPlaceCall)]
pub(crate) struct PlaceCallRequest {
    /// How long they talk, 60 when absent; of a missed call, how long it rings.
    #[schema(example = 95, minimum = 1, maximum = 86_400)]
    seconds: Option<i64>,
    /// Nobody answers.
    #[serde(default)]
    #[schema(default = false)]
    missed: bool,
    /// Id, name or number; without one, the default.
    channel: Option<String>,
}

/// Let a person call
///
/// No sound is carried.
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/call",
    tag = "sandbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    request_body = PlaceCallRequest,
    responses(
        (status = 200, description = "The call, which has begun.", body = Called),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn call_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    JsonBody(input): JsonBody<PlaceCallRequest>,
) -> ApiResult<Json<Called>> {
    let PlaceCallRequest { seconds, missed, channel } = input;
    Ok(Json(driver.sandbox.call(driver.tenant, &person, PlaceCall { seconds, missed, channel }).await?))
}
