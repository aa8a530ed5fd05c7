//! `GET /{tenantId}/api/v2/whatsapp/phoneNumbers`

use axum::Json;
use axum::extract::State;

use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::v1::accounts::shape::PhoneNumbers;

/// Get phone numbers
///
/// The oldest first.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v2/whatsapp/phoneNumbers",
    tag = "channels",
    responses((status = 200, description = "All numbers of the tenant.", body = PhoneNumbers)),
)]
pub(crate) async fn get_phone_numbers_v2(
    State(state): State<ApiState>,
    caller: Caller,
) -> ApiResult<Json<PhoneNumbers>> {
    Ok(Json(state.app.channels().list(&caller).await?.into()))
}
