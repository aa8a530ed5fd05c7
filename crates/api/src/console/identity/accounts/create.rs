//! `POST /console/api/accounts`: creates an account, or restores a removed one.

use app::identity::accounts::NewAccount;
use domain::identity::accounts::Account;
use domain::identity::roles::Role;

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
#[schema(as = NewAccount)]
pub(crate) struct CreateAccountRequest {
    email: String,
    name: Option<String>,
    role: Role,
    /// If omitted, the account has no password, for example because the operator never logs in.
    password: Option<String>,
}

/// Create an account, or restore a removed one
#[described::path(
    post,
    path = "/console/api/accounts",
    responses((status = 200, description = "The account.", body = Account)),
)]
pub(crate) async fn create_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<CreateAccountRequest>,
) -> ApiResult<Json<Account>> {
    let new = NewAccount { email: input.email, name: input.name, role: input.role, password: input.password };
    Ok(Json(state.app.identity().accounts().create(&signed_in, new).await?))
}
