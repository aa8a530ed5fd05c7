//! `DELETE /console/api/sessions/{id}`: ends one of the caller's sessions.

use domain::SessionId;

use crate::console::guard::SignedIn;
use crate::console::{Done, cookie, done};
use crate::prelude::*;

/// End one of your sessions
#[described::path(
    delete,
    path = "/console/api/sessions/{id}",
    responses((status = 200, description = "The session has ended.", body = Done)),
)]
pub(crate) async fn end_session(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(SessionId,)>,
) -> ApiResult<Response> {
    let is_current = state.app.identity().sessions().end_one(&signed_in, id).await?;
    if is_current { cookie::clear(&state, done()) } else { Ok(done().into_response()) }
}
