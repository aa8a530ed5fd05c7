//! `POST /api/ext/v3/webhooks/{id}/deliveries/{delivery_id}/retry`

use domain::{DeliveryId, WebhookId};

use super::deliveries::WebhookDelivery;
use crate::prelude::*;

/// Retry a delivery
///
/// Retries the delivery immediately and for another day, whatever its state, with the same `webhook-id`. The webhook
/// must be enabled, and the event must still exist.
#[described::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/deliveries/{delivery_id}/retry",
    responses(
        (status = 200, description = "The delivery, which is due now.", body = WebhookDelivery),
        (
            status = 409,
            description = "Reasons: `conflict` (the delivery was a test, its event no longer exists, or the webhook is not enabled).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn retry_webhook_delivery(
    Gated(state, caller): Gated,
    Path((webhook, id)): Path<(WebhookId, DeliveryId)>,
) -> ApiResult<Json<WebhookDelivery>> {
    Ok(Json(state.app.delivery().webhooks().retry(&caller, webhook, id).await?.into()))
}
