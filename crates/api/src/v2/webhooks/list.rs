//! `GET /{tenantId}/api/v2/webhookEndpoints`

use axum::Json;
use axum::extract::State;

use super::shape::EndpointsAnswer;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

/// Get webhook endpoints
///
/// The oldest endpoint first.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v2/webhookEndpoints",
    tag = "webhooks",
    responses((status = 200, description = "All endpoints.", body = EndpointsAnswer)),
)]
pub(crate) async fn get_webhook_endpoints_v2(
    State(state): State<ApiState>,
    caller: Caller,
) -> ApiResult<Json<EndpointsAnswer>> {
    Ok(Json(state.app.webhooks().list(&caller).await?.into()))
}
