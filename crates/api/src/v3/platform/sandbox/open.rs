//! `POST /api/ext/v3/sandbox/people/{person}/open`: makes a simulated person open a link.

use sandbox::driver::{Open, OpenedLink};

use super::Driver;
use crate::input::Scalar;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxOpen {
    /// The message's id. Default: the newest message with a link.
    message: Option<String>,
    /// The button's text, or its index among the message's links. Default: the first link.
    #[schema(value_type = Option<String>, example = "Track it")]
    button: Option<Scalar>,
    /// Whether the network also reports the click to the business.
    #[serde(default)]
    #[schema(default = false)]
    report: bool,
}

/// Simulate opening a link
///
/// Requests the link as a phone's browser would, and follows redirects.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/open",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses(
        (status = 200, description = "The redirects and the final address.", body = OpenedLink),
        (status = 409, description = "The person's phone is offline. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn open_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxOpen>,
) -> ApiResult<Json<OpenedLink>> {
    let SandboxOpen { message, button, report } = input;
    let open = Open { message, button: button.map(|Scalar(text)| text), report };
    Ok(Json(driver.sandbox.open(driver.tenant, &person, open).await?))
}
