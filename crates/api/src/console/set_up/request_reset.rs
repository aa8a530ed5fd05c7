//! `POST /console/api/password-reset`: mails a one-time link to the owner of an account who has lost the password. The
//! answer is the same whether or not there is an account with the e-mail address.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;

use super::super::guard::FromLogIn;
use super::super::{Done, done};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct PasswordResetRequest {
    email: String,
}

pub(crate) async fn request_reset(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    JsonBody(input): JsonBody<PasswordResetRequest>,
) -> ApiResult<Json<Done>> {
    let links = state.app.one_time_links();
    links.reset_by_mail(&input.email, &source, &state.settings.public_url).await?;
    Ok(done())
}
