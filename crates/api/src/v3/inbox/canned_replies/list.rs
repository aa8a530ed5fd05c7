//! `GET /api/ext/v3/cannedReplies`: all canned replies of the tenant.

use super::shape::CannedReplyShape;
use crate::prelude::*;

list!(CannedReplies { "canned_replies": CannedReplyShape });

/// Get canned replies
///
/// Returns all canned replies, sorted by shortcut.
#[described::path(
    get,
    path = "/api/ext/v3/cannedReplies",
    responses((status = 200, description = "All canned replies.", body = CannedReplies)),
)]
pub(crate) async fn list_canned_replies(Gated(state, caller): Gated) -> ApiResult<Json<CannedReplies>> {
    let all = state.app.inbox().canned_replies().list(&caller).await?;
    Ok(Json(List::from_rows(all)))
}
