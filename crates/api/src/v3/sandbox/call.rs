//! `POST /api/ext/v3/sandbox/people/{person}/call`: lets a simulated person call the business.

use sandbox::driver::{Called, PlaceCall};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxPlaceCall {
    /// The duration of the call in seconds, or of the ringing for a missed call. Default: 60.
    #[schema(example = 95, minimum = 1, maximum = 86_400)]
    seconds: Option<i64>,
    /// Whether the call is missed: nobody answers it.
    #[serde(default)]
    #[schema(default = false)]
    missed: bool,
    /// A channel by id, name or number. Default: the default channel.
    channel: Option<String>,
}

/// Let a person call
///
/// The call has no audio.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/call",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    responses(
        (status = 200, description = "The call, which has begun.", body = Called),
        (status = 409, description = "The person's phone is offline. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn call_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxPlaceCall>,
) -> ApiResult<Json<Called>> {
    let SandboxPlaceCall { seconds, missed, channel } = input;
    Ok(Json(driver.sandbox.call(driver.tenant, &person, PlaceCall { seconds, missed, channel }).await?))
}
