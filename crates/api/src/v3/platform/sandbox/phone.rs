//! `PUT /api/ext/v3/sandbox/people/{person}/phone`: takes a simulated person's phone offline or online.

use sandbox::driver::PhoneState;

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxSetPhone {
    #[schema(example = false)]
    online: bool,
}

/// Take a person's phone offline or online
///
/// Messages to an offline phone stay `sent`, and calls to it are not answered. When the phone comes back online, the
/// messages are delivered in order. A person whose phone is offline cannot write, tap, open, call or pay.
#[described::path(
    put,
    path = "/api/ext/v3/sandbox/people/{person}/phone",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses((status = 200, description = "The phone's state.", body = PhoneState)),
)]
pub(crate) async fn set_sandbox_phone(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxSetPhone>,
) -> ApiResult<Json<PhoneState>> {
    Ok(Json(driver.sandbox.set_phone(driver.tenant, &person, input.online).await?))
}
