//! `/console/api/security`: whether the tenant requires a second factor, for administrators.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Serialize)]
pub(crate) struct SecurityAnswer {
    second_factor_required: bool,
}

#[derive(Deserialize)]
pub(crate) struct SetSecurityRequest {
    second_factor_required: bool,
}

pub(crate) async fn show_security(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<SecurityAnswer>> {
    let second_factor_required = state.app.second_factors().is_required(&signed_in).await?;
    Ok(Json(SecurityAnswer { second_factor_required }))
}

pub(crate) async fn set_security(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    JsonBody(input): JsonBody<SetSecurityRequest>,
) -> ApiResult<Json<SecurityAnswer>> {
    let second_factor_required = input.second_factor_required;
    let factors = state.app.second_factors();
    factors.set_required(&signed_in, second_factor_required).await?;
    Ok(Json(SecurityAnswer { second_factor_required }))
}
