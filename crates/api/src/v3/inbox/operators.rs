//! `GET /api/ext/v3/operators`: the accounts that conversations can be assigned to.

use domain::AccountId;
use domain::identity::accounts::Account;

use crate::prelude::*;

list!(Operators { "operators": OperatorShape });

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Operator)]
pub(crate) struct OperatorShape {
    id: AccountId,
    #[schema(example = "grace@example.com")]
    email: String,
    #[schema(example = "Grace Hopper")]
    name: String,
}

/// Get operators
///
/// Returns the tenant's active accounts, sorted by name.
#[described::path(
    get,
    path = "/api/ext/v3/operators",
    responses((status = 200, description = "The operators.", body = Operators)),
)]
pub(crate) async fn list_operators(Gated(state, caller): Gated) -> ApiResult<Json<Operators>> {
    let mut accounts = state.app.identity().accounts().list(&caller).await?;
    accounts.retain(Account::is_active);
    accounts.sort_by_cached_key(|account| (account.name.to_lowercase(), account.id));
    let operators = accounts.into_iter().map(|Account { id, email, name, .. }| OperatorShape { id, email, name });
    Ok(Json(List::from_rows(operators)))
}
