//! `POST /console/api/session`: begins a session with an e-mail address and a password, or the wait for the second factor.

use super::log_in_step::{self, PendingAnswer};
use super::show::SessionView;
use crate::console::guard::{FromLogIn, PageOrigin};
use crate::error::LOG_IN_FAILED;
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
#[schema(as = LogIn)]
pub(crate) struct LogInRequest {
    email: String,
    password: String,
}

/// Log in
///
/// An unknown address and a wrong password get the same response after the same amount of work.
#[described::path(
    post,
    path = "/console/api/session",
    responses(
        (status = 200, description = "The session. The response sets its cookie.", body = SessionView),
        (
            status = 202,
            description = "The password is correct; the second factor is still required.",
            body = PendingAnswer
        ),
    ),
)]
pub(crate) async fn log_in(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    page: PageOrigin,
    Json(input): Json<LogInRequest>,
) -> ApiResult<Response> {
    let step = state.app.identity().sessions().log_in(&input.email, &input.password, &source).await?;
    let Some(step) = step else {
        return Err(ApiError::new(LOG_IN_FAILED, "The e-mail address or password is wrong"));
    };
    log_in_step::answer(&state, &page, step)
}
