//! `PATCH /console/api/accounts/{id}`: changes the role, disables or enables the account, or sets a new password.

use app::identity::accounts::AccountUpdate;
use domain::AccountId;
use domain::identity::accounts::Account;
use domain::identity::roles::Role;

use crate::console::guard::SignedIn;
use crate::prelude::*;

/// Omitted members keep their values.
#[derive(Deserialize, ToSchema)]
#[schema(as = AccountUpdate)]
pub(crate) struct UpdateAccountRequest {
    role: Option<Role>,
    disabled: Option<bool>,
    password: Option<String>,
}

/// Update an account
#[described::path(
    patch,
    path = "/console/api/accounts/{id}",
    responses((status = 200, description = "The updated account.", body = Account)),
)]
pub(crate) async fn update_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(AccountId,)>,
    Json(input): Json<UpdateAccountRequest>,
) -> ApiResult<Json<Account>> {
    // The caller's own password is not set here: an attacker at an unlocked screen could take over the account without
    // knowing the present password.
    if input.password.is_some() && id == signed_in.account {
        return Err(ApiError::invalid(
            "password",
            "change your own password at /console/api/password, with the current one",
        ));
    }
    let update = AccountUpdate { role: input.role, disabled: input.disabled, password: input.password };
    Ok(Json(state.app.identity().accounts().update(&signed_in, &id.to_string(), update).await?))
}
