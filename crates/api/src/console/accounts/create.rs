//! `POST /console/api/accounts`: creates an account, or restores a removed one.

use app::accounts::NewAccount;
use axum::Json;
use axum::extract::State;
use domain::accounts::Account;
use domain::roles::Role;
use serde::Deserialize;

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct CreateAccountRequest {
    email: String,
    name: Option<String>,
    #[serde(deserialize_with = "super::role")]
    role: Role,
    /// If absent, the account has no password, for example that of an operator who never logs in.
    password: Option<String>,
}

pub(crate) async fn create_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    JsonBody(input): JsonBody<CreateAccountRequest>,
) -> ApiResult<Json<Account>> {
    let new = NewAccount { email: input.email, name: input.name, role: input.role, password: input.password };
    Ok(Json(state.app.accounts().create(&signed_in, new).await?))
}
