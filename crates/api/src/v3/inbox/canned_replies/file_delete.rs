//! `DELETE /api/ext/v3/cannedReplies/{id}/files/{file_id}`

use domain::{CannedReplyId, MediaId};

use super::shape::CannedReplyShape;
use crate::prelude::*;

/// Remove a file from a canned reply
#[described::path(
    delete,
    path = "/api/ext/v3/cannedReplies/{id}/files/{file_id}",
    responses((status = 200, description = "The canned reply without the file.", body = CannedReplyShape)),
)]
pub(crate) async fn delete_canned_file(
    Gated(state, caller): Gated,
    Path((id, file)): Path<(CannedReplyId, MediaId)>,
) -> ApiResult<Json<CannedReplyShape>> {
    Ok(Json(state.app.inbox().canned_replies().remove_file(&caller, id, file).await?.into()))
}
