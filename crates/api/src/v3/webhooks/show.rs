//! `GET /api/ext/v3/webhooks/{id}`

use axum::Json;
use axum::extract::State;

use super::shape::WebhookShape;
use super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get one webhook
#[utoipa::path(
    get,
    path = "/api/ext/v3/webhooks/{id}",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The webhook, without its secret.", body = WebhookShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<WebhookShape>> {
    Ok(Json(state.app.webhooks().find(&caller, webhook_id(&id)?).await?.into()))
}
