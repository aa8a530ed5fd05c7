//! `/console/api/second-factors/passkeys`: POST makes a challenge for a new passkey, PUT adds the passkey with the
//! browser's answer, DELETE with its id removes it.

use app::second_factors::{PasskeyAttestation, RemovedFactor};
use axum::Json;
use axum::extract::State;
use domain::PasskeyId;
use serde::Deserialize;
use serde_json::Value;

use super::super::guard::{FromLogIn, PageOrigin, SignedIn};
use super::super::{Done, done};
use super::{BeginRequest, EnrolledAnswer, PasswordRequest};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, NOT_FOUND};
use crate::input::{FromPath, JsonBody};

#[derive(Deserialize)]
pub(crate) struct FinishPasskeyRequest {
    name: String,
    credential: Value,
}

/// What `navigator.credentials.create` takes as `publicKey`.
pub(crate) async fn begin_passkey(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    page: PageOrigin,
    JsonBody(input): JsonBody<BeginRequest>,
) -> ApiResult<Json<Value>> {
    let factors = state.app.second_factors();
    let party = page.party()?;
    Ok(Json(factors.begin_passkey(&signed_in, input.password, party, &source).await?))
}

pub(crate) async fn finish_passkey(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    page: PageOrigin,
    JsonBody(input): JsonBody<FinishPasskeyRequest>,
) -> ApiResult<Json<EnrolledAnswer>> {
    let wrong = |_| ApiError::invalid("credential", "is not the answer of a browser to the challenge");
    let attestation: PasskeyAttestation = serde_json::from_value(input.credential).map_err(wrong)?;
    let factors = state.app.second_factors();
    Ok(Json(factors.finish_passkey(&signed_in, &input.name, page.party()?, &attestation).await?.into()))
}

pub(crate) async fn remove_passkey(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<PasswordRequest>,
) -> ApiResult<Json<Done>> {
    let id: PasskeyId = id.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such passkey"))?;
    let factors = state.app.second_factors();
    factors.remove(&signed_in, RemovedFactor::Passkey(id), input.password, &source).await?;
    Ok(done())
}
