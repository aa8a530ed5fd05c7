//! `PUT /api/ext/v3/sandbox/people/{person}/phone`: sets a simulated person's phone offline or online.

use sandbox::driver::PhoneState;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxSetPhone {
    #[schema(example = false)]
    online: bool,
}

/// Set a person's phone offline or online
///
/// Messages to a phone that is offline stay `sent`, and calls to it are not answered. When it comes back online, the
/// messages are delivered in their order. A person whose phone is offline cannot write, tap, open, call or pay.
#[described::path(
    put,
    path = "/api/ext/v3/sandbox/people/{person}/phone",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    responses((status = 200, description = "The state of the phone.", body = PhoneState)),
)]
pub(crate) async fn set_sandbox_phone(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxSetPhone>,
) -> ApiResult<Json<PhoneState>> {
    Ok(Json(driver.sandbox.set_phone(driver.tenant, &person, input.online).await?))
}
