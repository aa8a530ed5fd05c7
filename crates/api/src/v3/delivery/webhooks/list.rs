//! `GET /api/ext/v3/webhooks`: all webhooks of the tenant.

use super::shape::WebhookShape;
use crate::prelude::*;

list!(Webhooks { "webhooks": WebhookShape });

/// Get webhooks
///
/// Returns all webhooks, oldest first.
#[described::path(
    get,
    path = "/api/ext/v3/webhooks",
    responses((status = 200, description = "All webhooks.", body = Webhooks)),
)]
pub(crate) async fn list_webhooks(Gated(state, caller): Gated) -> ApiResult<Json<Webhooks>> {
    let all = state.app.delivery().webhooks().list(&caller).await?;
    Ok(Json(List::from_rows(all)))
}
