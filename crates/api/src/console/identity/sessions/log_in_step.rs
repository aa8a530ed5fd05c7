//! What follows the right password: the session, or (202) the wait for the second factor.

use app::identity::second_factors::PendingSecondFactor;
use app::identity::sessions::{LIFETIME_SECONDS, LogInStep};
use axum::http::StatusCode;
use domain::identity::second_factors::{LogInMethod, PENDING_SECONDS};

use super::show::SessionView;
use crate::console::cookie;
use crate::console::guard::PageOrigin;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = PendingLogIn)]
pub(crate) struct PendingAnswer {
    second_factor: PendingView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = PendingSecondFactor)]
struct PendingView {
    methods: Vec<LogInMethod>,
    #[serde(serialize_with = "as_rfc3339")]
    expires_at: Timestamp,
}

pub(crate) fn answer(state: &ApiState, page: &PageOrigin, step: LogInStep) -> ApiResult<Response> {
    match step {
        LogInStep::Done(session, value) => {
            cookie::set(state, value.reveal(), LIFETIME_SECONDS, Json(SessionView::from(*session)))
        }
        LogInStep::SecondFactor(pending) => wait(state, page, &pending),
    }
}

fn wait(state: &ApiState, page: &PageOrigin, pending: &PendingSecondFactor) -> ApiResult<Response> {
    let view = PendingView { methods: pending.methods(page.host()), expires_at: pending.expires_at };
    let answer = (StatusCode::ACCEPTED, Json(PendingAnswer { second_factor: view }));
    cookie::set_pending(state, pending.value.reveal(), PENDING_SECONDS, answer)
}
