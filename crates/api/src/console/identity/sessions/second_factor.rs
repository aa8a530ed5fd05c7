//! `POST /console/api/session/second-factor`: begins a session with a code, a passkey or a recovery code, after the
//! password.

use app::identity::second_factors::{FactorAnswer, PasskeyAssertion};
use app::identity::sessions::LIFETIME_SECONDS;
use axum::http::HeaderMap;
use serde_json::Value;

use super::show::SessionView;
use crate::console::cookie;
use crate::console::guard::{FromLogIn, PageOrigin};
use crate::prelude::*;

/// Exactly one of the members is required.
#[derive(Deserialize, ToSchema)]
#[schema(as = SecondFactor)]
pub(crate) struct SecondFactorRequest {
    code: Option<String>,
    recovery_code: Option<String>,
    passkey: Option<Value>,
}

impl SecondFactorRequest {
    fn into_answer(self) -> ApiResult<FactorAnswer> {
        match (self.code, self.recovery_code, self.passkey) {
            (Some(code), None, None) => Ok(FactorAnswer::Code(code)),
            (None, Some(code), None) => Ok(FactorAnswer::RecoveryCode(code)),
            (None, None, Some(passkey)) => {
                let wrong = |_| ApiError::invalid("passkey", "expected the browser's response to the challenge");
                let assertion: PasskeyAssertion = serde_json::from_value(passkey).map_err(wrong)?;
                Ok(FactorAnswer::Passkey(Box::new(assertion)))
            }
            _ => Err(ApiError::invalid("code", "expected exactly one of code, recovery_code and passkey")),
        }
    }
}

/// Complete a log-in with the second factor
#[described::path(
    post,
    path = "/console/api/session/second-factor",
    responses((status = 200, description = "The session.", body = SessionView)),
)]
pub(crate) async fn finish_log_in(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    page: PageOrigin,
    headers: HeaderMap,
    Json(input): Json<SecondFactorRequest>,
) -> ApiResult<Response> {
    let answer = input.into_answer()?;
    let pending = cookie::pending_in(&state, &headers);
    let factors = state.app.identity().second_factors();
    let (session, value) = factors.finish_log_in(pending, &answer, page.0.as_ref(), &source).await?;
    let done = cookie::set(&state, value.reveal(), LIFETIME_SECONDS, Json(SessionView::from(session)))?;
    cookie::clear_pending(&state, done)
}

/// Get a passkey challenge
///
/// Returns a challenge for the account's passkeys: the value to pass as `publicKey` to `navigator.credentials.get`.
#[described::path(
    post,
    path = "/console/api/session/second-factor/passkey",
    responses((
        status = 200,
        description = "The value to pass as `publicKey` to `navigator.credentials.get`.",
        body = Value
    )),
)]
pub(crate) async fn challenge(
    State(state): State<ApiState>,
    page: PageOrigin,
    headers: HeaderMap,
) -> ApiResult<Json<Value>> {
    let pending = cookie::pending_in(&state, &headers);
    Ok(Json(state.app.identity().second_factors().challenge(pending, page.party()?).await?))
}
