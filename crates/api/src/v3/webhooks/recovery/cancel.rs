//! `DELETE /api/ext/v3/webhooks/{id}/recovery`: stops the running recovery.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookRecoveryCanceled)]
pub(crate) struct CanceledAnswer {
    #[schema(example = true)]
    result: bool,
    /// Deliveries that were not tried; they are `failed` and can be recovered again.
    #[schema(example = 3)]
    deliveries: u64,
}

/// Cancel a recovery
///
/// Stops the running recovery. What was delivered stays delivered, and what is in flight is finished. Deliveries that
/// waited for a retry before the recovery keep waiting.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/webhooks/{id}/recovery",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The recovery is canceled.", body = CanceledAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (no recovery is running).", body = ErrorBody),
    ),
)]
pub(crate) async fn cancel_webhook_recovery(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<CanceledAnswer>> {
    let deliveries = state.app.webhooks().cancel_recovery(&caller, webhook_id(&id)?).await?;
    Ok(Json(CanceledAnswer { result: true, deliveries }))
}
