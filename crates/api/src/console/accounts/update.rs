//! `PATCH /console/api/accounts/{id}`: changes the role, disables or enables the account, or sets a new password.

use app::accounts::AccountUpdate;
use axum::Json;
use axum::extract::State;
use domain::accounts::Account;
use domain::roles::Role;
use serde::Deserialize;

use super::super::guard::SignedIn;
use super::account_id;
use crate::ApiState;
use crate::error::{ApiError, ApiResult};
use crate::input::{FromPath, JsonBody};

/// Absent members leave the account's values as they are.
#[derive(Deserialize)]
pub(crate) struct UpdateAccountRequest {
    #[serde(default, deserialize_with = "super::optional_role")]
    role: Option<Role>,
    disabled: Option<bool>,
    password: Option<String>,
}

pub(crate) async fn update_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<UpdateAccountRequest>,
) -> ApiResult<Json<Account>> {
    let id = account_id(&id)?;
    // The caller's own password is not set here: an attacker at an unlocked screen could take over the account without
    // knowing the present password.
    if input.password.is_some() && id == signed_in.account {
        return Err(ApiError::invalid(
            "password",
            "your own is changed with the present one, at /console/api/password",
        ));
    }
    let update = AccountUpdate { role: input.role, disabled: input.disabled, password: input.password };
    Ok(Json(state.app.accounts().update(&signed_in, &id.to_string(), update).await?))
}
