//! `POST /console/api/second-factors/recovery-codes`: new recovery codes in place of all earlier ones.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::guard::{FromLogIn, SignedIn};
use super::{PasswordRequest, revealed};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

/// Shown this once.
#[derive(Serialize)]
pub(crate) struct RecoveryCodesAnswer {
    recovery_codes: Vec<String>,
}

pub(crate) async fn make_codes(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    JsonBody(input): JsonBody<PasswordRequest>,
) -> ApiResult<Json<RecoveryCodesAnswer>> {
    let factors = state.app.second_factors();
    let codes = factors.new_recovery_codes(&signed_in, input.password, &source).await?;
    Ok(Json(RecoveryCodesAnswer { recovery_codes: revealed(&codes) }))
}
