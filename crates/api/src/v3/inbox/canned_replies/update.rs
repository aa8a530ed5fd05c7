//! `PUT /api/ext/v3/cannedReplies/{id}`: changes the shortcut and text.

use app::inbox::canned_replies::CannedReplyRequest;
use domain::CannedReplyId;

use super::shape::CannedReplyShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct CannedReplyChange {
    #[schema(example = "late", min_length = 1, max_length = 51, nullable = false)]
    shortcut: Option<String>,
    #[schema(example = "Hello {{contact.first_name|there}}!", min_length = 1, max_length = 4096, nullable = false)]
    text: Option<String>,
}

/// Update a canned reply
///
/// Omitted members keep their values.
#[described::path(
    put,
    path = "/api/ext/v3/cannedReplies/{id}",
    responses(
        (status = 200, description = "The updated canned reply.", body = CannedReplyShape),
        (status = 409, description = "Reasons: `conflict` (another canned reply has this shortcut).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_canned_reply(
    Gated(state, caller): Gated,
    Path((id,)): Path<(CannedReplyId,)>,
    Json(input): Json<CannedReplyChange>,
) -> ApiResult<Json<CannedReplyShape>> {
    let request = CannedReplyRequest { shortcut: input.shortcut, text: input.text };
    Ok(Json(state.app.inbox().canned_replies().update(&caller, id, request).await?.into()))
}
