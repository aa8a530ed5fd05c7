//! `GET /api/ext/v3/webhooks`: all webhooks of the tenant.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::WebhookShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhooks)]
pub(crate) struct WebhooksAnswer {
    webhooks: Vec<WebhookShape>,
}

/// Get webhooks
///
/// The oldest webhook first.
#[utoipa::path(
    get,
    path = "/api/ext/v3/webhooks",
    tag = "webhooks",
    responses((status = 200, description = "All webhooks.", body = WebhooksAnswer)),
)]
pub(crate) async fn list_webhooks(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<WebhooksAnswer>> {
    let all = state.app.webhooks().list(&caller).await?;
    Ok(Json(WebhooksAnswer { webhooks: all.into_iter().map(WebhookShape::from).collect() }))
}
