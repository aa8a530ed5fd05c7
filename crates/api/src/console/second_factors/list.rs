//! `GET /console/api/second-factors`: the second factors of the own account.

use app::second_factors::OwnFactors;
use axum::Json;
use axum::extract::State;
use domain::second_factors::{StoredPasskey, TotpFactor};
use domain::time::{as_optional_rfc3339, as_rfc3339};
use domain::{PasskeyId, Timestamp};
use serde::Serialize;

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct SecondFactorsAnswer {
    totp: Option<TotpView>,
    passkeys: Vec<PasskeyView>,
    /// How many recovery codes are left.
    recovery_codes: i64,
    /// Whether the tenant requires a second factor.
    required: bool,
    has_password: bool,
    /// Whether adding a factor needs the password again.
    password_needed: bool,
}

#[derive(Serialize)]
struct TotpView {
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    last_used_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct PasskeyView {
    id: PasskeyId,
    name: String,
    /// The host name of the console where it works.
    host: String,
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    last_used_at: Option<Timestamp>,
}

impl From<TotpFactor> for TotpView {
    fn from(factor: TotpFactor) -> Self {
        Self { created_at: factor.created_at, last_used_at: factor.last_used_at }
    }
}

impl From<StoredPasskey> for PasskeyView {
    fn from(passkey: StoredPasskey) -> Self {
        let StoredPasskey { id, name, host, created_at, last_used_at, .. } = passkey;
        Self { id, name, host, created_at, last_used_at }
    }
}

pub(crate) async fn show_factors(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<SecondFactorsAnswer>> {
    let OwnFactors { factors, required, has_password, password_needed } =
        state.app.second_factors().own(&signed_in).await?;
    Ok(Json(SecondFactorsAnswer {
        totp: factors.totp.map(TotpView::from),
        passkeys: factors.passkeys.into_iter().map(PasskeyView::from).collect(),
        recovery_codes: factors.recovery_codes,
        required,
        has_password,
        password_needed,
    }))
}
