//! `GET /api/ext/v3/conversations/{target}`: one conversation.

use super::shape::ConversationShape;
use crate::prelude::*;

/// Get a conversation
#[described::path(
    get,
    path = "/api/ext/v3/conversations/{target}",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The conversation.", body = ConversationShape),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_conversation(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
) -> ApiResult<Json<ConversationShape>> {
    Ok(Json(state.app.inbox().conversations().show(&caller, (&target).into()).await?.into()))
}
