//! `POST /console/api/accounts/{id}/link`: issues a one-time link for another account, whose owner sets a new or a
//! first password with it.

use axum::Json;
use axum::extract::State;

use super::super::guard::SignedIn;
use super::account_id;
use super::issued_link::{IssuedLinkView, mailed};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, CONFLICT};
use crate::input::FromPath;

pub(crate) async fn make_link(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<IssuedLinkView>> {
    let id = account_id(&id)?;
    // No link for the caller's own account: an attacker at an unlocked screen could take it over without its password.
    if id == signed_in.account {
        let message = "your own password is changed with the present one, at /console/api/password";
        return Err(ApiError::about(CONFLICT, "account", message));
    }
    let who = id.to_string();
    let issued = state.app.one_time_links().issue(&signed_in, &who).await?;
    Ok(Json(mailed(&state, &signed_in, &issued).await?))
}
