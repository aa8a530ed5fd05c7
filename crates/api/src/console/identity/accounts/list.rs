//! `GET /console/api/accounts`.

use domain::identity::accounts::AccountDetails;

use crate::console::guard::SignedIn;
use crate::prelude::*;

list!(Accounts { "accounts": AccountDetails });

/// Get accounts
#[described::path(
    get,
    path = "/console/api/accounts",
    responses((status = 200, description = "All of the tenant's accounts.", body = Accounts)),
)]
pub(crate) async fn list_accounts(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<Accounts>> {
    Ok(Json(List::from_rows(state.app.identity().accounts().list_details(&signed_in).await?)))
}
