//! `DELETE /console/api/sessions/{id}`: ends one of the account's own sessions.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use domain::SessionId;

use super::super::guard::SignedIn;
use super::super::{cookie, done};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, NOT_FOUND};
use crate::input::FromPath;

pub(crate) async fn end_session(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
) -> ApiResult<Response> {
    let id: SessionId = id.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such session"))?;
    let is_current = state.app.sessions().end_one(&signed_in, id).await?;
    if is_current { cookie::clear(&state, done()) } else { Ok(done().into_response()) }
}
