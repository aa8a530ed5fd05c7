//! `GET /{tenantId}/api/v1/whatsApp/phoneNumbers`

use super::shape::PhoneNumbersV1;
use crate::prelude::*;

/// Get phone numbers
///
/// Returns all of the tenant's numbers. The oldest channel's number comes first.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/whatsApp/phoneNumbers",
    tag = "channels",
    responses((status = 200, description = "All of the tenant's numbers.", body = PhoneNumbersV1)),
)]
pub(crate) async fn get_phone_numbers(Gated(state, caller): Gated) -> ApiResult<Json<PhoneNumbersV1>> {
    Ok(Json(state.app.messaging().channels().list(&caller).await?.into()))
}
