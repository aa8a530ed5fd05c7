//! `/console/api/second-factors/passkeys`: POST creates a challenge for a new passkey, PUT adds the passkey with the
//! browser's response, DELETE with its id removes it.

use app::identity::second_factors::{PasskeyAttestation, RemovedFactor};
use domain::PasskeyId;
use serde_json::Value;

use super::{BeginRequest, EnrolledAnswer, PasswordRequest};
use crate::console::guard::{FromLogIn, PageOrigin, SignedIn};
use crate::console::{Done, done};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct NewPasskey {
    name: String,
    credential: Value,
}

/// Start adding a passkey
///
/// Returns the value to pass as `publicKey` to `navigator.credentials.create`.
#[described::path(
    post,
    path = "/console/api/second-factors/passkeys",
    responses((
        status = 200,
        description = "The value to pass as `publicKey` to `navigator.credentials.create`.",
        body = Value
    )),
)]
pub(crate) async fn begin_passkey(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    page: PageOrigin,
    Json(input): Json<BeginRequest>,
) -> ApiResult<Json<Value>> {
    let factors = state.app.identity().second_factors();
    let party = page.party()?;
    Ok(Json(factors.begin_passkey(&signed_in, input.password, party, &source).await?))
}

/// Add a passkey with the browser's response
#[described::path(
    put,
    path = "/console/api/second-factors/passkeys",
    responses((status = 200, description = "The passkey was added.", body = EnrolledAnswer)),
)]
pub(crate) async fn finish_passkey(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    page: PageOrigin,
    Json(input): Json<NewPasskey>,
) -> ApiResult<Json<EnrolledAnswer>> {
    let wrong = |_| ApiError::invalid("credential", "expected the browser's response to the challenge");
    let attestation: PasskeyAttestation = serde_json::from_value(input.credential).map_err(wrong)?;
    let factors = state.app.identity().second_factors();
    Ok(Json(factors.finish_passkey(&signed_in, &input.name, page.party()?, &attestation).await?.into()))
}

/// Remove a passkey
#[described::path(
    delete,
    path = "/console/api/second-factors/passkeys/{id}",
    responses((status = 200, description = "The passkey was removed.", body = Done)),
)]
pub(crate) async fn remove_passkey(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Path((id,)): Path<(PasskeyId,)>,
    Json(input): Json<PasswordRequest>,
) -> ApiResult<Json<Done>> {
    let factors = state.app.identity().second_factors();
    factors.remove(&signed_in, RemovedFactor::Passkey(id), input.password, &source).await?;
    Ok(done())
}
