//! `GET /{tenantId}/api/v1/whatsApp/phoneNumbers`, and the same operation of V2.

use axum::Json;
use axum::extract::State;

use super::shape::PhoneNumbers;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

/// Declares the operation under the path of one version.
macro_rules! get_phone_numbers {
    ($operation:ident, $path:literal) => {
        /// Get phone numbers
        ///
        /// Oldest first.
        #[utoipa::path(
                            get,
                            path = $path,
                            tag = "channels",
                            responses((status = 200, description = "All numbers of the tenant.", body = PhoneNumbers)),
                        )]
        pub(crate) async fn $operation(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<PhoneNumbers>> {
            Ok(Json(state.app.channels().list(&caller).await?.into()))
        }
    };
}

get_phone_numbers!(get_phone_numbers, "/{tenantId}/api/v1/whatsApp/phoneNumbers");
get_phone_numbers!(get_phone_numbers_v2, "/{tenantId}/api/v2/whatsapp/phoneNumbers");
