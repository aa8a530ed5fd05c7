//! `POST /console/api/session`: begins a session with an e-mail address and a password.

use app::sessions::LIFETIME_SECONDS;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::super::cookie;
use super::super::guard::FromLogIn;
use super::show::SessionView;
use crate::ApiState;
use crate::error::{ApiError, ApiResult, LOG_IN_FAILED};
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct LogInRequest {
    email: String,
    password: String,
}

/// An unknown address and a wrong password get the same answer, after the same amount of work.
pub(crate) async fn log_in(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    JsonBody(input): JsonBody<LogInRequest>,
) -> ApiResult<Response> {
    let begun = state.app.sessions().log_in(&input.email, &input.password, &source).await?;
    let Some((session, value)) = begun else {
        return Err(ApiError::new(LOG_IN_FAILED, "No account has this e-mail address with this password"));
    };
    cookie::set(&state, value.reveal(), LIFETIME_SECONDS, Json(SessionView::from(session)))
}
