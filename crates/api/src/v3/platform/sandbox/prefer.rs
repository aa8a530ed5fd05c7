//! `POST /api/ext/v3/sandbox/people/{person}/prefer`: makes a simulated person stop or resume marketing messages.

use sandbox::driver::{Prefer, Preferred};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxPrefer {
    /// Whether the business may send marketing messages.
    #[schema(example = false)]
    marketing: bool,
    /// The id, name or number of the channel whose hook gets the report. Default: the default channel.
    channel: Option<String>,
}

/// Simulate stopping or resuming marketing
///
/// Once a person has stopped marketing, marketing templates to that person fail on every channel.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/prefer",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses(
        (status = 200, description = "The person's new preference.", body = Preferred),
        (status = 409, description = "The person's phone is offline. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn prefer_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxPrefer>,
) -> ApiResult<Json<Preferred>> {
    let SandboxPrefer { marketing, channel } = input;
    Ok(Json(driver.sandbox.prefer(driver.tenant, &person, Prefer { marketing, channel }).await?))
}
