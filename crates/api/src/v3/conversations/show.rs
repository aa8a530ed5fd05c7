//! `GET /api/ext/v3/conversations/{target}`: one conversation.

use axum::Json;
use axum::extract::State;

use super::shape::ConversationShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get a conversation
#[utoipa::path(
    get,
    path = "/api/ext/v3/conversations/{target}",
    tag = "conversations",
    params(("target" = String, Path, description = "A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.", example = "14155552671")),
    responses(
        (status = 200, description = "The conversation.", body = ConversationShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_conversation(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
) -> ApiResult<Json<ConversationShape>> {
    Ok(Json(state.app.conversations().show(&caller, (&target).into(), "target").await?.into()))
}
