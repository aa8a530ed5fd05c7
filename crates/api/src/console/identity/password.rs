//! `PUT /console/api/password`: changes the password of the caller's account, which ends all of its API tokens, legacy
//! JWTs and sessions.

use crate::console::guard::{FromLogIn, SignedIn};
use crate::console::{Done, cookie, done};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct PasswordChange {
    current: String,
    new: String,
}

/// Change your password
#[described::path(
    put,
    path = "/console/api/password",
    responses((
        status = 200,
        description = "The password was changed. The account's API tokens, legacy JWTs and sessions have ended.",
        body = Done
    )),
)]
pub(crate) async fn change_password(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Json(input): Json<PasswordChange>,
) -> ApiResult<Response> {
    let accounts = state.app.identity().accounts();
    let PasswordChange { current, new } = input;
    accounts.change_own_password(&signed_in, current, new, &source).await?;
    cookie::clear(&state, done())
}
