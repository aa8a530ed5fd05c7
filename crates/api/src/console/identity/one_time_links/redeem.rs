//! `POST /console/api/set-up`: redeems a one-time link, which sets its account's password and begins a session.

use super::super::sessions::log_in_step::{self, PendingAnswer};
use super::super::sessions::show::SessionView;
use crate::console::guard::{FromLogIn, PageOrigin};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct LinkRedemption {
    code: String,
    password: String,
}

/// Redeem a one-time link
#[described::path(
    post,
    path = "/console/api/set-up",
    responses(
        (status = 200, description = "The session that begins with the new password.", body = SessionView),
        (
            status = 202,
            description = "The password was set; the second factor is still required.",
            body = PendingAnswer
        ),
    ),
)]
pub(crate) async fn redeem_link(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    page: PageOrigin,
    Json(input): Json<LinkRedemption>,
) -> ApiResult<Response> {
    let step = state.app.identity().one_time_links().redeem(&input.code, input.password, &source).await?;
    log_in_step::answer(&state, &page, step)
}
