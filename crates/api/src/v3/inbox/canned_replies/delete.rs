//! `DELETE /api/ext/v3/cannedReplies/{id}`

use domain::CannedReplyId;

use crate::answer::deleted::{Deleted, DeletedCannedReply};
use crate::prelude::*;

/// Delete a canned reply
///
/// Messages already sent with its files keep them.
#[described::path(
    delete,
    path = "/api/ext/v3/cannedReplies/{id}",
    responses((status = 200, description = "The canned reply was deleted.", body = DeletedCannedReply)),
)]
pub(crate) async fn delete_canned_reply(
    Gated(state, caller): Gated,
    Path((id,)): Path<(CannedReplyId,)>,
) -> ApiResult<Json<DeletedCannedReply>> {
    state.app.inbox().canned_replies().remove(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
