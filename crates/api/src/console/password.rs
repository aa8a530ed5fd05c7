//! `PUT /console/api/password`: changes the password of the caller's account, which ends all of its API tokens, legacy
//! JWTs and sessions.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::guard::{FromLogIn, SignedIn};
use super::{cookie, done};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct ChangePasswordRequest {
    current: String,
    new: String,
}

pub(crate) async fn change_password(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    JsonBody(input): JsonBody<ChangePasswordRequest>,
) -> ApiResult<Response> {
    let accounts = state.app.accounts();
    let ChangePasswordRequest { current, new } = input;
    accounts.change_own_password(&signed_in, current, new, &source).await?;
    cookie::clear(&state, done())
}
