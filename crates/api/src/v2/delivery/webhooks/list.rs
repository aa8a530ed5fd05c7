//! `GET /{tenantId}/api/v2/webhookEndpoints`

use super::shape::WebhookEndpointsV2;
use crate::prelude::*;

/// Get webhook endpoints
///
/// Returns all endpoints, oldest first.
#[described::path(
    get,
    path = "/{tenantId}/api/v2/webhookEndpoints",
    tag = "webhooks",
    responses((status = 200, description = "All endpoints.", body = WebhookEndpointsV2)),
)]
pub(crate) async fn get_webhook_endpoints_v2(Gated(state, caller): Gated) -> ApiResult<Json<WebhookEndpointsV2>> {
    Ok(Json(state.app.delivery().webhooks().list(&caller).await?.into()))
}
