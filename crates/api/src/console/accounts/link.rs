//! `POST /console/api/accounts/{id}/link`: a one-time link for an account: a reset of its password, or its first one.

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
    let (tenant, id) = (signed_in.tenant(), account_id(&id)?);
    // Otherwise an attacker at an unlocked screen could take over the account without its password.
    if id == signed_in.account {
        let message = "your own password is changed with the present one, at /console/api/password";
        return Err(ApiError::about(CONFLICT, "account", message));
    }
    let who = id.to_string();
    let issued = state.app.one_time_links().issue(&signed_in.actor, tenant, &who).await?;
    Ok(Json(mailed(&state, tenant, &issued).await?))
}
