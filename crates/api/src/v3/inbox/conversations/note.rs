//! `POST /api/ext/v3/conversations/{target}/notes`: adds a note that only the team sees.

use app::inbox::conversations::NewNote;

use crate::prelude::*;
use crate::v3::messaging::messages::shape::MessageShape;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewNote)]
pub(crate) struct AddNoteRequest {
    #[schema(example = "VIP, offer express if late. @ben", min_length = 1, max_length = 4096)]
    text: String,
    /// E-mail addresses of the operators the note is meant for.
    #[serde(default)]
    #[schema(example = json!(["ben@example.com"]), max_items = 20)]
    mentions: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddedNote {
    message: MessageShape,
}

/// Add a note to a conversation
///
/// Only the team sees the note. It appears in the conversation's history with the `event_type` `note` and is never sent
/// to the network. It does not change the last message or the status.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/{target}/notes",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The note, as the history shows it.", body = AddedNote),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if an operator does not exist).",
            body = ErrorBody
        ),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn add_conversation_note(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<AddNoteRequest>,
) -> ApiResult<Json<AddedNote>> {
    let note = NewNote { text: input.text, mentions: input.mentions };
    let (entry, conversation) = state.app.inbox().conversations().add_note(&caller, (&target).into(), note).await?;
    Ok(Json(AddedNote { message: MessageShape::new(&entry, conversation.as_ref()) }))
}
