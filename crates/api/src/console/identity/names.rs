//! `/console/api/account` and `/console/api/tenant`: people change their own name, administrators that of the tenant.

use crate::console::guard::SignedIn;
use crate::console::{Done, done};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct NameChange {
    /// 1 to 200 characters.
    name: String,
}

/// Change your name
///
/// The name by which your colleagues in this tenant know you.
#[described::path(
    put,
    path = "/console/api/account",
    responses((status = 200, description = "The name was changed.", body = Done)),
)]
pub(crate) async fn rename_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<NameChange>,
) -> ApiResult<Json<Done>> {
    state.app.identity().accounts().rename_own(&signed_in, &input.name).await?;
    Ok(done())
}

/// Change the tenant's name
#[described::path(
    put,
    path = "/console/api/tenant",
    responses((status = 200, description = "The name was changed.", body = Done)),
)]
pub(crate) async fn rename_tenant(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<NameChange>,
) -> ApiResult<Json<Done>> {
    state.app.identity().tenants().rename(&signed_in, &input.name).await?;
    Ok(done())
}
