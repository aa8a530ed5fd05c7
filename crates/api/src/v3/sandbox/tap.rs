//! `POST /api/ext/v3/sandbox/people/{person}/tap`: lets a simulated person tap a button.

use sandbox::driver::{Tap, Tapped};

use super::Driver;
use crate::input::Scalar;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxTap {
    /// The id of the message. Default: the newest message with such a button.
    message: Option<String>,
    /// The text of the button, or its index, from 0.
    #[schema(value_type = String, example = "Yes, please")]
    button: Scalar,
}

/// Let a person tap a button
///
/// A URL button is opened as by `open`. For a payment button use `pay`.
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/tap",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
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
