//! `POST /console/api/accounts/{id}/link`: issues a one-time link for another account, whose owner uses it to set a new
//! or a first password.

use domain::AccountId;

use super::issued_link::{IssuedLinkView, mailed};
use crate::console::guard::SignedIn;
use crate::error::CONFLICT;
use crate::prelude::*;

/// Create a one-time link for an account
#[described::path(
    post,
    path = "/console/api/accounts/{id}/link",
    responses((status = 200, description = "The link, mailed if a mail server is configured.", body = IssuedLinkView)),
)]
pub(crate) async fn make_link(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(AccountId,)>,
) -> ApiResult<Json<IssuedLinkView>> {
    // No link for the caller's own account: an attacker at an unlocked screen could take it over without its password.
    if id == signed_in.account {
        let message = "change your own password at /console/api/password, with the current one";
        return Err(ApiError::about(CONFLICT, "account", message));
    }
    let who = id.to_string();
    let issued = state.app.identity().one_time_links().issue(&signed_in, &who).await?;
    Ok(Json(mailed(&state, &signed_in, &issued).await?))
}
