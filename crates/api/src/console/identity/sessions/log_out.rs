//! `DELETE /console/api/session`: ends this session.

use crate::console::guard::SignedIn;
use crate::console::{Done, cookie, done};
use crate::prelude::*;

/// Log out
#[described::path(
    delete,
    path = "/console/api/session",
    responses((status = 200, description = "The session has ended.", body = Done)),
)]
pub(crate) async fn log_out(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Response> {
    state.app.identity().sessions().end(&signed_in).await?;
    cookie::clear(&state, done())
}
