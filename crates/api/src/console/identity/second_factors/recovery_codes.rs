//! `POST /console/api/second-factors/recovery-codes`: creates new recovery codes, which replace all earlier ones.

use super::{PasswordRequest, revealed};
use crate::console::guard::{FromLogIn, SignedIn};
use crate::prelude::*;

/// Returned only once.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecoveryCodes {
    recovery_codes: Vec<String>,
}

/// Create new recovery codes
#[described::path(
    post,
    path = "/console/api/second-factors/recovery-codes",
    responses((
        status = 200,
        description = "The codes, which replace all earlier ones. They are returned only once, in this response.",
        body = RecoveryCodes
    )),
)]
pub(crate) async fn make_codes(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Json(input): Json<PasswordRequest>,
) -> ApiResult<Json<RecoveryCodes>> {
    let factors = state.app.identity().second_factors();
    let codes = factors.new_recovery_codes(&signed_in, input.password, &source).await?;
    Ok(Json(RecoveryCodes { recovery_codes: revealed(&codes) }))
}
