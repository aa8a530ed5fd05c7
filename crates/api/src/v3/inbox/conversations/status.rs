//! `PUT /api/ext/v3/conversations/{target}/status`: sets a conversation's status to open, solved, pending or block.

use super::operator::ConversationChanged;
use crate::prelude::*;
use crate::shared::messaging::conversations::status;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationStatus)]
pub(crate) struct SetConversationStatusRequest {
    /// `open`, `solved`, `pending` or `block`.
    #[schema(example = "solved")]
    new_status: String,
}

/// Set a conversation's status
///
/// The last change wins. A solved conversation reopens with a new ticket when the person writes; a blocked one stays
/// blocked.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/status",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The status was set.", body = ConversationChanged),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_conversation_status(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<SetConversationStatusRequest>,
) -> ApiResult<Json<ConversationChanged>> {
    let status = status("new_status", &input.new_status)?;
    state.app.inbox().conversations().set_status(&caller, (&target).into(), status).await?;
    Ok(Json(ConversationChanged { result: true }))
}
