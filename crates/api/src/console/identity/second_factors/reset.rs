//! `DELETE /console/api/accounts/{id}/second-factors`: removes the second factors of a colleague who lost them.

use crate::console::guard::SignedIn;
use crate::console::{Done, done};
use crate::prelude::*;

/// Remove an account's second factors
#[described::path(
    delete,
    path = "/console/api/accounts/{id}/second-factors",
    params(("id" = String, Path, description = "The account's id or e-mail address.")),
    responses((status = 200, description = "The factors were removed.", body = Done)),
)]
pub(crate) async fn reset_factors(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(who): FromPath<String>,
) -> ApiResult<Json<Done>> {
    state.app.identity().second_factors().reset(&signed_in, &who).await?;
    Ok(done())
}
