//! `POST /api/ext/v3/sandbox/people/{person}/prefer`: lets a simulated person stop or resume marketing messages.

use sandbox::driver::{Prefer, Preferred};

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxPrefer {
    /// Whether the business may send marketing messages.
    #[schema(example = false)]
    marketing: bool,
    /// The channel whose hook gets the report, by id, name or number. Default: the default channel.
    channel: Option<String>,
}

/// Let a person stop or resume marketing
///
/// Marketing templates to a person who stopped them fail from then on, over every channel.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/prefer",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
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
