//! `POST /console/api/accounts`: a new person; one who was removed comes back.

use app::accounts::NewAccount;
use axum::Json;
use axum::extract::State;
use domain::accounts::Account;
use domain::roles::Role;
use serde::Deserialize;

use super::super::door::Person;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct Input {
    email: String,
    name: Option<String>,
    #[serde(deserialize_with = "super::role")]
    role: Role,
    /// Without one nobody can log in to it: an operator known by name only.
    password: Option<String>,
}

pub(crate) async fn create_account(
    State(state): State<ApiState>,
    person: Person,
    JsonBody(input): JsonBody<Input>,
) -> ApiResult<Json<Account>> {
    let new = NewAccount { email: input.email, name: input.name, role: input.role, password: input.password };
    Ok(Json(state.app.accounts().create(&person.actor, person.tenant(), new).await?))
}
