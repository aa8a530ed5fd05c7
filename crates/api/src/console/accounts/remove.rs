//! `DELETE /console/api/accounts/{id}`: ends all that the account could do; what it did stays.

use axum::Json;
use axum::extract::State;

use super::super::door::Person;
use super::super::{Done, done};
use super::account_id;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::FromPath;

pub(crate) async fn remove_account(
    State(state): State<ApiState>,
    person: Person,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<Done>> {
    let who = account_id(&id)?.to_string();
    state.app.accounts().remove(&person.actor, person.tenant(), &who).await?;
    Ok(done())
}
