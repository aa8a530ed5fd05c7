//! `GET /api/ext/v3/calls/{id}`: one call.

use domain::CallId;
use domain::calls::CallView;

use crate::input::json_response;
use crate::prelude::*;

members! {
    pub(crate) query GetCallQuery from Query {
        /// Adds the members described with "With `details`".
        #[param(default = false)]
        details: Option<bool> = optional_flag["details"](),
    }
}

/// Get a call
#[described::path(
    get,
    path = "/api/ext/v3/calls/{id}",
    params(GetCallQuery),
    responses((status = 200, description = "The call.", body = CallView)),
)]
pub(crate) async fn get_call(
    Gated(state, caller): Gated,
    Path((id,)): Path<(CallId,)>,
    FromQuery(asked): FromQuery<GetCallQuery>,
) -> ApiResult<Response> {
    let calls = state.app.calls();
    let call = calls.show(&caller, id).await?;
    if !asked.details.unwrap_or_default() {
        return Ok(json_response(call));
    }
    let named = calls.with_people(&caller, vec![call]).await?;
    Ok(json_response(named.concat()))
}
