//! `POST /api/ext/v3/sandbox/people/{person}/tap`: makes a simulated person tap a button.

use sandbox::driver::{Tap, Tapped};

use super::Driver;
use crate::input::Scalar;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxTap {
    /// The message's id. Default: the newest message with such a button.
    message: Option<String>,
    /// The button's text, or its index, starting at 0.
    #[schema(value_type = String, example = "Yes, please")]
    button: Scalar,
}

/// Simulate a button tap
///
/// A URL button is opened as with `open`. For a payment button, use `pay`.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/tap",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses(
        (status = 200, description = "The outcome.", body = Tapped),
        (status = 409, description = "The person's phone is offline. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn tap_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxTap>,
) -> ApiResult<Json<Tapped>> {
    let tap = Tap { message: input.message, button: input.button.0 };
    Ok(Json(driver.sandbox.tap(driver.tenant, &person, tap).await?))
}
