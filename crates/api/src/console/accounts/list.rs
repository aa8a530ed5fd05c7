//! `GET /console/api/accounts`.

use axum::Json;
use axum::extract::State;
use domain::accounts::Account;
use serde::Serialize;

use super::super::door::Person;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct Page {
    accounts: Vec<Account>,
}

pub(crate) async fn list_accounts(State(state): State<ApiState>, person: Person) -> ApiResult<Json<Page>> {
    Ok(Json(Page { accounts: state.app.accounts().list(person.tenant()).await? }))
}
