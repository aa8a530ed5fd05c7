//! `DELETE /api/ext/v3/webhooks/{id}/recovery`: stops the running recovery.

use domain::WebhookId;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookRecoveryCanceled {
    #[schema(example = true)]
    result: bool,
    /// Deliveries that were not tried. They are `failed` and can be recovered again.
    #[schema(example = 3)]
    deliveries: u64,
}

/// Cancel a recovery
///
/// Stops the running recovery. Completed deliveries are kept, and deliveries in flight are finished. Deliveries that
/// were waiting for a retry before the recovery keep waiting.
#[described::path(
    delete,
    path = "/api/ext/v3/webhooks/{id}/recovery",
    responses(
        (status = 200, description = "The recovery was canceled.", body = WebhookRecoveryCanceled),
        (status = 409, description = "Reasons: `conflict` (no recovery is running).", body = ErrorBody),
    ),
)]
pub(crate) async fn cancel_webhook_recovery(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<WebhookRecoveryCanceled>> {
    let deliveries = state.app.delivery().webhooks().cancel_recovery(&caller, id).await?;
    Ok(Json(WebhookRecoveryCanceled { result: true, deliveries }))
}
