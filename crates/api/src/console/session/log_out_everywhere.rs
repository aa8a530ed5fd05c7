//! `POST /console/api/log-out-everywhere`: the end of all sessions and legacy JWTs of the caller, this one too.

use axum::extract::State;
use axum::response::Response;

use super::super::cookie;
use super::super::done;
use super::super::door::Person;
use crate::ApiState;
use crate::error::ApiResult;

pub(crate) async fn log_out_everywhere(State(state): State<ApiState>, person: Person) -> ApiResult<Response> {
    let who = person.account.to_string();
    state.app.accounts().log_out_everywhere(&person.actor, person.tenant(), &who).await?;
    cookie::clear(&state, done())
}
