//! `/console/api/security`: whether the tenant requires a second factor, for administrators.

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = Security)]
pub(crate) struct SecurityAnswer {
    second_factor_required: bool,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SecurityUpdate {
    second_factor_required: bool,
}

/// Get whether a second factor is required
#[described::path(
    get,
    path = "/console/api/security",
    responses((status = 200, description = "The setting.", body = SecurityAnswer)),
)]
pub(crate) async fn show_security(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<SecurityAnswer>> {
    let second_factor_required = state.app.identity().second_factors().is_required(&signed_in).await?;
    Ok(Json(SecurityAnswer { second_factor_required }))
}

/// Set whether a second factor is required
#[described::path(
    put,
    path = "/console/api/security",
    responses((status = 200, description = "The setting.", body = SecurityAnswer)),
)]
pub(crate) async fn set_security(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<SecurityUpdate>,
) -> ApiResult<Json<SecurityAnswer>> {
    let second_factor_required = input.second_factor_required;
    let factors = state.app.identity().second_factors();
    factors.set_required(&signed_in, second_factor_required).await?;
    Ok(Json(SecurityAnswer { second_factor_required }))
}
