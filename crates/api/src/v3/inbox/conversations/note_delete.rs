//! `DELETE /api/ext/v3/conversations/{target}/notes/{note_id}`

use domain::identity::roles::Role;

use crate::answer::deleted::{Deleted, DeletedNote};
use crate::prelude::*;

#[derive(Debug, Deserialize)]
pub(crate) struct NotePath {
    target: String,
    note_id: String,
}

/// Delete a note
///
/// Operators can delete their own notes, administrators all notes.
#[described::path(
    delete,
    path = "/api/ext/v3/conversations/{target}/notes/{note_id}",
    params(
        (
            "target" = String,
            Path,
            description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
                `channel:`.",
            example = "14155552671"
        ),
        ("note_id" = String, Path, description = "The note's id in the history.", example = "69eb4e9a1f0c2d3e4a5b6c7d"),
    ),
    responses(
        (status = 200, description = "The note was deleted.", body = DeletedNote),
        (
            status = 409,
            description = "Reasons: `conflict` (another operator wrote the note), `ambiguous_target`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn delete_conversation_note(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NotePath>,
) -> ApiResult<Json<DeletedNote>> {
    let id = path.note_id.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such note"))?;
    let of_others = caller.role() == Role::Administrator;
    state.app.inbox().conversations().remove_note(&caller, (&path.target).into(), id, of_others).await?;
    Ok(Json(Deleted(id)))
}
