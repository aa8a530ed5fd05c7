//! `DELETE /api/ext/v3/webhooks/{id}`

use domain::WebhookId;

use crate::answer::deleted::{Deleted, DeletedWebhook};
use crate::prelude::*;

/// Delete a webhook
///
/// Nothing more is delivered to the webhook, and its past deliveries are deleted. To pause it instead, set its status
/// to `Disabled`.
#[described::path(
    delete,
    path = "/api/ext/v3/webhooks/{id}",
    responses((status = 200, description = "The webhook was deleted.", body = DeletedWebhook)),
)]
pub(crate) async fn delete_webhook(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<DeletedWebhook>> {
    state.app.delivery().webhooks().delete(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
