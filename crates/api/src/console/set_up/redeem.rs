//! `POST /console/api/set-up`: redeems a one-time link: sets the password of its account and begins a session.

use app::sessions::LIFETIME_SECONDS;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::super::cookie;
use super::super::guard::FromLogIn;
use super::super::session::show::SessionView;
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
    JsonBody(input): JsonBody<RedeemLinkRequest>,
) -> ApiResult<Response> {
    let (session, value) = state.app.one_time_links().redeem(&input.code, input.password, &source).await?;
    cookie::set(&state, value.reveal(), LIFETIME_SECONDS, Json(SessionView::from(session)))
}
