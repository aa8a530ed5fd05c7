//! `DELETE /api/ext/v3/webhooks/{id}`

use domain::WebhookId;

use crate::deleted::{Deleted, DeletedWebhook};
use crate::prelude::*;

/// Delete a webhook
///
/// Nothing is delivered to it any more, and its deliveries are deleted. To pause it, set its status to `Disabled`.
#[described::path(
    delete,
    path = "/api/ext/v3/webhooks/{id}",
    responses((status = 200, description = "The webhook is deleted.", body = DeletedWebhook)),
)]
pub(crate) async fn delete_webhook(
    Gated(state, caller): Gated,
    Path((id,)): Path<(WebhookId,)>,
) -> ApiResult<Json<DeletedWebhook>> {
    state.app.webhooks().delete(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
