//! `GET /console/api/accounts`.

use axum::Json;
use axum::extract::State;
use domain::accounts::AccountDetails;
use serde::Serialize;

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct AccountsAnswer {
    accounts: Vec<AccountDetails>,
}

pub(crate) async fn list_accounts(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<AccountsAnswer>> {
    Ok(Json(AccountsAnswer { accounts: state.app.accounts().list_details(&signed_in).await? }))
}
