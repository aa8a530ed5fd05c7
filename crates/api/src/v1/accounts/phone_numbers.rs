//! `GET /{tenantId}/api/v1/whatsApp/phoneNumbers`

use axum::Json;
use axum::extract::State;

use super::shape::PhoneNumbers;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

/// Get phone numbers
///
/// The number of the oldest channel first.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/whatsApp/phoneNumbers",
    tag = "channels",
    responses((status = 200, description = "All numbers of the tenant.", body = PhoneNumbers)),
)]
pub(crate) async fn get_phone_numbers(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<PhoneNumbers>> {
    Ok(Json(state.app.channels().list(&caller).await?.into()))
}
