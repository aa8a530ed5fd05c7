//! `POST /console/api/legacy-token`: creates a legacy JWT for clients that support no other credential.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct LegacyTokenAnswer {
    /// Not shown again.
    token: String,
}

pub(crate) async fn create_legacy_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<LegacyTokenAnswer>> {
    let who = signed_in.account.to_string();
    let token = state.app.tokens().legacy(&signed_in.actor, signed_in.tenant(), &who).await?;
    Ok(Json(LegacyTokenAnswer { token }))
}
