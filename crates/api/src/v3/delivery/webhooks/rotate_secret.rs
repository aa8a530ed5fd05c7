//! `POST /api/ext/v3/webhooks/{id}/rotate-secret`

use domain::WebhookId;

use super::shape::WebhookWithSecret;
use crate::prelude::*;

/// Rotate a webhook's secret
///
/// The new secret is returned only once, in this response. The current one keeps signing alongside it for 24 hours, so
/// a receiver with either secret accepts every delivery. If you create a third secret in that time, the oldest is
/// dropped immediately.
#[described::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/rotate-secret",
    responses(
        (status = 200, description = "The webhook with its new secret.", body = WebhookWithSecret),
        (
            status = 409,
            description = "Reasons: `conflict` (the webhook's secret was encrypted with another key).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn rotate_webhook_secret(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<WebhookWithSecret>> {
    Ok(Json(state.app.delivery().webhooks().rotate_secret(&caller, id).await?.into()))
}
