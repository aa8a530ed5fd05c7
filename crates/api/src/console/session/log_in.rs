//! `POST /console/api/session`: begins a session with an e-mail address and a password, or the wait for the second factor.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::super::guard::{FromLogIn, PageOrigin};
use super::log_in_step;
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
    page: PageOrigin,
    JsonBody(input): JsonBody<LogInRequest>,
) -> ApiResult<Response> {
    let step = state.app.sessions().log_in(&input.email, &input.password, &source).await?;
    let Some(step) = step else {
        return Err(ApiError::new(LOG_IN_FAILED, "No account has this e-mail address with this password"));
    };
    log_in_step::answer(&state, &page, step)
}
