//! `POST /console/api/log-out-everywhere`: ends all sessions and legacy JWTs of the account, this session included.

use axum::extract::State;
use axum::response::Response;

use super::super::cookie;
use super::super::done;
use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

pub(crate) async fn log_out_everywhere(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Response> {
    let who = signed_in.account.to_string();
    state.app.accounts().log_out_everywhere(&signed_in, &who).await?;
    cookie::clear(&state, done())
}
