//! `POST /api/ext/v3/webhooks/{id}/rotate-secret`

use axum::Json;
use axum::extract::State;

use super::shape::WebhookWithSecret;
use super::webhook_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Rotate a webhook's secret
///
/// The new secret is in this answer only. The current one keeps signing beside it for 24 hours: a receiver with either
/// secret accepts every delivery. If a third secret is made in that time, the oldest is dropped at once.
#[utoipa::path(
    post,
    path = "/api/ext/v3/webhooks/{id}/rotate-secret",
    tag = "webhooks",
    params(("id" = String, Path, description = "The webhook's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The webhook with its new secret.", body = WebhookWithSecret),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (its secret was encrypted with another key).", body = ErrorBody),
    ),
)]
pub(crate) async fn rotate_webhook_secret(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<WebhookWithSecret>> {
    Ok(Json(state.app.webhooks().rotate_secret(&caller, webhook_id(&id)?).await?.into()))
}
