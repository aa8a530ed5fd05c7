//! `GET /api/ext/v3/webhooks/{id}`

use domain::WebhookId;

use super::shape::WebhookShape;
use crate::prelude::*;

/// Get a webhook
#[described::path(
    get,
    path = "/api/ext/v3/webhooks/{id}",
    responses((status = 200, description = "The webhook, without its secret.", body = WebhookShape)),
)]
pub(crate) async fn get_webhook(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<WebhookShape>> {
    Ok(Json(state.app.delivery().webhooks().find(&caller, id).await?.into()))
}
