//! `POST /api/ext/v3/webhooks/{id}/deliveries/{delivery_id}/retry`

use axum::Json;
use axum::extract::State;

use super::DeliveryPath;
use super::deliveries::DeliveryShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Retry a delivery
///
/// Tries the delivery again at once and for another day, whatever its state, with the same `webhook-id`. The webhook
/// must be enabled, and the event must still exist.
#[utoipa::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/deliveries/{delivery_id}/retry",
    tag = "webhooks",
    params(
        ("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
        ("delivery_id" = String, Path, description = "The event's id.", example = "69eb4e9a1f0c2d3e4a5b6c7e"),
    ),
    responses(
        (status = 200, description = "The delivery, which is due now.", body = DeliveryShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (
            status = 409,
            description = "Reasons: `conflict` (the delivery was a test, its event no longer exists, or the webhook is not enabled).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn retry_webhook_delivery(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<DeliveryPath>,
) -> ApiResult<Json<DeliveryShape>> {
    let (webhook, id) = path.ids()?;
    Ok(Json(state.app.webhooks().retry(&caller, webhook, id).await?.into()))
}
