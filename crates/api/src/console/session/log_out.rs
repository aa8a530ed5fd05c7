//! `DELETE /console/api/session`: the end of this session.

use axum::extract::State;
use axum::response::Response;

use super::super::cookie;
use super::super::done;
use super::super::door::Person;
use crate::ApiState;
use crate::error::ApiResult;

pub(crate) async fn log_out(State(state): State<ApiState>, person: Person) -> ApiResult<Response> {
    state.app.sessions().end(&person.principal, &person.actor).await?;
    cookie::clear(&state, done())
}
