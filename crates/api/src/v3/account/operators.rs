//! `GET /api/ext/v3/operators`: the accounts that conversations can be assigned to.

use axum::Json;
use axum::extract::State;
use domain::AccountId;
use domain::accounts::Account;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Operators {
    operators: Vec<OperatorShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Operator)]
pub(crate) struct OperatorShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: AccountId,
    #[schema(example = "grace@example.com")]
    email: String,
    #[schema(example = "Grace Hopper")]
    name: String,
}

/// Get operators
///
/// The active accounts of the tenant, ordered by name.
#[utoipa::path(
    get,
    path = "/api/ext/v3/operators",
    tag = "conversations",
    responses((status = 200, description = "The operators.", body = Operators)),
)]
pub(crate) async fn list_operators(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<Operators>> {
    let mut accounts = state.app.accounts().list(&caller).await?;
    accounts.retain(Account::is_active);
    accounts.sort_by_cached_key(|account| (account.name.to_lowercase(), account.id));
    let operators = accounts.into_iter().map(|Account { id, email, name, .. }| OperatorShape { id, email, name });
    Ok(Json(Operators { operators: operators.collect() }))
}
