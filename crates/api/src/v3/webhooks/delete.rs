//! `DELETE /api/ext/v3/webhooks/{id}`

use axum::Json;
use axum::extract::State;
use domain::WebhookId;
use serde::Serialize;
use utoipa::ToSchema;

use super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedWebhook {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    webhook_id: WebhookId,
    #[schema(example = true)]
    deleted: bool,
}

/// Delete a webhook
///
/// Nothing is delivered to it any more, and its deliveries are deleted. To pause it, set its status to `Disabled`.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/webhooks/{id}",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The webhook is deleted.", body = DeletedWebhook),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<DeletedWebhook>> {
    let id = webhook_id(&id)?;
    state.app.webhooks().delete(&caller, id).await?;
    Ok(Json(DeletedWebhook { webhook_id: id, deleted: true }))
}
