//! `/console/api/second-factors/totp`: POST creates an authenticator app's secret, PUT adds the app with its first
//! code, DELETE removes it.

use app::identity::second_factors::RemovedFactor;

use super::{BeginRequest, EnrolledAnswer, PasswordRequest};
use crate::console::guard::{FromLogIn, SignedIn};
use crate::console::{Done, done};
use crate::prelude::*;

/// Returned only once.
#[derive(Serialize, ToSchema)]
#[schema(as = TotpSecret)]
pub(crate) struct TotpSecretAnswer {
    /// To type into the app.
    secret: String,
    /// To show as a QR code.
    uri: String,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct TotpCode {
    code: String,
}

/// Start adding an authenticator app
#[described::path(
    post,
    path = "/console/api/second-factors/totp",
    responses((status = 200, description = "The secret, which is returned only once, in this response.", body = TotpSecretAnswer)),
)]
pub(crate) async fn begin_totp(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Json(input): Json<BeginRequest>,
) -> ApiResult<Json<TotpSecretAnswer>> {
    let begun = state.app.identity().second_factors().begin_totp(&signed_in, input.password, &source).await?;
    Ok(Json(TotpSecretAnswer { secret: begun.base32().as_str().to_owned(), uri: begun.uri().to_owned() }))
}

/// Add an authenticator app with its first code
#[described::path(
    put,
    path = "/console/api/second-factors/totp",
    responses((status = 200, description = "The app was added.", body = EnrolledAnswer)),
)]
pub(crate) async fn finish_totp(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<TotpCode>,
) -> ApiResult<Json<EnrolledAnswer>> {
    let factors = state.app.identity().second_factors();
    Ok(Json(factors.finish_totp(&signed_in, &input.code).await?.into()))
}

/// Remove the authenticator app
#[described::path(
    delete,
    path = "/console/api/second-factors/totp",
    responses((status = 200, description = "The app was removed.", body = Done)),
)]
pub(crate) async fn remove_totp(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Json(input): Json<PasswordRequest>,
) -> ApiResult<Json<Done>> {
    let factors = state.app.identity().second_factors();
    factors.remove(&signed_in, RemovedFactor::Totp, input.password, &source).await?;
    Ok(done())
}
