//! `POST /api/ext/v3/sandbox/people/{person}/call`: makes a simulated person call the business.

use sandbox::driver::{Called, PlaceCall};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxPlaceCall {
    /// How many seconds the call lasts, or rings if it is missed. Default: 60.
    #[schema(example = 95, minimum = 1, maximum = 86_400)]
    seconds: Option<i64>,
    /// Whether the call goes unanswered.
    #[serde(default)]
    #[schema(default = false)]
    missed: bool,
    /// A channel's id, name or number. Default: the default channel.
    channel: Option<String>,
}

/// Simulate a call
///
/// The person calls the business. The call has no audio.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/call",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses(
        (status = 200, description = "The call, which has started.", body = Called),
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
