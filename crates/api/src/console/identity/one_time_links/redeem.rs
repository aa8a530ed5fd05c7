//! `POST /console/api/set-up`: redeems a one-time link, which sets its account's password, or adds a tenant to the
//! account that the address has, and begins a session.

use super::super::sessions::log_in_step::{self, PendingAnswer};
use super::super::sessions::show::SessionView;
use crate::console::guard::{FromLogIn, PageOrigin};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct LinkRedemption {
    code: String,
    /// The new password. If the e-mail address of an invitation already has an account: that account's password.
    password: String,
}

/// Redeem a one-time link
///
/// If the e-mail address of an invitation already has an account, the account joins the tenant, and its password stays.
/// A wrong one counts like a failed log-in and returns 401 `log_in_failed`.
#[described::path(
    post,
    path = "/console/api/set-up",
    responses(
        (status = 200, description = "The session that begins with the password.", body = SessionView),
        (
            status = 202,
            description = "The password was accepted; the second factor is still required.",
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
