//! `GET /console/api/second-factors`: the second factors of the caller's account.

use app::identity::second_factors::OwnFactors;
use domain::PasskeyId;
use domain::identity::second_factors::{StoredPasskey, TotpFactor};

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactors)]
pub(crate) struct SecondFactorsAnswer {
    totp: Option<TotpView>,
    passkeys: Vec<PasskeyView>,
    /// How many recovery codes are left.
    recovery_codes: i64,
    /// Whether the tenant requires a second factor.
    required: bool,
    has_password: bool,
    /// Whether adding a factor requires the password again.
    password_needed: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = TotpFactor)]
struct TotpView {
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    last_used_at: Option<Timestamp>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Passkey)]
struct PasskeyView {
    id: PasskeyId,
    name: String,
    /// The console's host name on which the passkey works.
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

/// Get your second factors
#[described::path(
    get,
    path = "/console/api/second-factors",
    responses((status = 200, description = "The account's second factors.", body = SecondFactorsAnswer)),
)]
pub(crate) async fn show_factors(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<SecondFactorsAnswer>> {
    let OwnFactors { factors, required, has_password, password_needed } =
        state.app.identity().second_factors().own(&signed_in).await?;
    Ok(Json(SecondFactorsAnswer {
        totp: factors.totp.map(TotpView::from),
        passkeys: factors.passkeys.into_iter().map(PasskeyView::from).collect(),
        recovery_codes: factors.recovery_codes,
        required,
        has_password,
        password_needed,
    }))
}
