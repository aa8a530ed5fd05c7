//! `POST /console/api/log-out-everywhere`: ends all sessions and legacy JWTs of the account, including this session.

use crate::console::guard::SignedIn;
use crate::console::{Done, cookie, done};
use crate::prelude::*;

/// Log out everywhere
#[described::path(
    post,
    path = "/console/api/log-out-everywhere",
    responses((
        status = 200,
        description = "All of the account's sessions and legacy JWTs have ended, including this session.",
        body = Done
    )),
)]
pub(crate) async fn log_out_everywhere(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Response> {
    let who = signed_in.account.to_string();
    state.app.identity().accounts().log_out_everywhere(&signed_in, &who).await?;
    cookie::clear(&state, done())
}
