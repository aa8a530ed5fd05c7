//! `GET /api/ext/v3/calls/{id}`: one call.

use domain::CallId;
use domain::calls::CallView;

use crate::input::json_response;
use crate::prelude::*;

/// Get a call
#[described::path(
    get,
    path = "/api/ext/v3/calls/{id}",
    responses((status = 200, description = "The call.", body = CallView)),
)]
pub(crate) async fn get_call(Gated(state, caller): Gated, Path((id,)): Path<(CallId,)>) -> ApiResult<Response> {
    Ok(json_response(state.app.calls().show(&caller, id).await?))
}
