//! `PUT /console/api/password`: a new password of one's own, which ends every token and session of the account.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::door::{Person, Trace};
use super::{cookie, done};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct Input {
    current: String,
    new: String,
}

pub(crate) async fn change_password(
    State(state): State<ApiState>,
    person: Person,
    trace: Trace,
    JsonBody(input): JsonBody<Input>,
) -> ApiResult<Response> {
    let accounts = state.app.accounts();
    let Input { current, new } = input;
    accounts.change_own_password(&person.principal, &person.actor, current, new, trace.address).await?;
    cookie::clear(&state, done())
}
