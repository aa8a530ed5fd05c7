//! `DELETE /console/api/session`: ends this session.

use axum::extract::State;
use axum::response::Response;

use super::super::cookie;
use super::super::done;
use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

pub(crate) async fn log_out(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Response> {
    state.app.sessions().end(&signed_in).await?;
    cookie::clear(&state, done())
}
