//! `/console/api/second-factors/totp`: POST makes the secret of an authenticator app, PUT adds the app with its first
//! code, DELETE removes it.

use app::second_factors::RemovedFactor;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::super::guard::{FromLogIn, SignedIn};
use super::super::{Done, done};
use super::{BeginRequest, EnrolledAnswer, PasswordRequest};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

/// Shown this once.
#[derive(Serialize)]
pub(crate) struct TotpSecretAnswer {
    /// For typing it into the app.
    secret: String,
    /// For a QR code.
    uri: String,
}

#[derive(Deserialize)]
pub(crate) struct FinishTotpRequest {
    code: String,
}

pub(crate) async fn begin_totp(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    JsonBody(input): JsonBody<BeginRequest>,
) -> ApiResult<Json<TotpSecretAnswer>> {
    let begun = state.app.second_factors().begin_totp(&signed_in, input.password, &source).await?;
    Ok(Json(TotpSecretAnswer { secret: begun.base32().as_str().to_owned(), uri: begun.uri().to_owned() }))
}

pub(crate) async fn finish_totp(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    JsonBody(input): JsonBody<FinishTotpRequest>,
) -> ApiResult<Json<EnrolledAnswer>> {
    let factors = state.app.second_factors();
    Ok(Json(factors.finish_totp(&signed_in, &input.code).await?.into()))
}

pub(crate) async fn remove_totp(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    JsonBody(input): JsonBody<PasswordRequest>,
) -> ApiResult<Json<Done>> {
    let factors = state.app.second_factors();
    factors.remove(&signed_in, RemovedFactor::Totp, input.password, &source).await?;
    Ok(done())
}
