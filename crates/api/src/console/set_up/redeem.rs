//! `POST /console/api/set-up`: redeems a one-time link: sets the password of its account and begins a session.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::super::guard::{FromLogIn, PageOrigin};
use super::super::session::log_in_step;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct RedeemLinkRequest {
    code: String,
    password: String,
}

pub(crate) async fn redeem_link(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    page: PageOrigin,
    JsonBody(input): JsonBody<RedeemLinkRequest>,
) -> ApiResult<Response> {
    let step = state.app.one_time_links().redeem(&input.code, input.password, &source).await?;
    log_in_step::answer(&state, &page, step)
}
