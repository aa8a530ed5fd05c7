//! `DELETE /console/api/tokens/{id}`: revokes a token immediately.

use domain::TokenId;

use crate::console::guard::SignedIn;
use crate::console::{Done, done};
use crate::prelude::*;

/// Revoke an API token
#[described::path(
    delete,
    path = "/console/api/tokens/{id}",
    responses((status = 200, description = "The token was revoked.", body = Done)),
)]
pub(crate) async fn revoke_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(TokenId,)>,
) -> ApiResult<Json<Done>> {
    state.app.identity().tokens().revoke(&signed_in, id).await?;
    Ok(done())
}
