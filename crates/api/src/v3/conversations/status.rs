//! `PUT /api/ext/v3/conversations/{target}/status`: sets the status of a conversation to open, solved, pending or
//! block.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::operator::ConversationChangedAnswer;
use crate::ApiState;
use crate::conversations::status;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ConversationStatus)]
pub(crate) struct SetConversationStatusRequest {
    /// `open`, `solved`, `pending` or `block`.
    #[schema(example = "solved")]
    new_status: String,
}

/// Set the status of a conversation
///
/// The last change wins. A solved conversation is reopened with a new ticket when the person writes; a blocked one
/// stays blocked.
#[utoipa::path(
    put,
    path = "/api/ext/v3/conversations/{target}/status",
    tag = "conversations",
    params(("target" = String, Path, description = "A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.", example = "14155552671")),
    request_body = SetConversationStatusRequest,
    responses(
        (status = 200, description = "The status is set.", body = ConversationChangedAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_conversation_status(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
    JsonBody(input): JsonBody<SetConversationStatusRequest>,
) -> ApiResult<Json<ConversationChangedAnswer>> {
    let status = status("new_status", &input.new_status)?;
    state.app.conversations().set_status(&caller, (&target).into(), "target", status).await?;
    Ok(Json(ConversationChangedAnswer { result: true }))
}
