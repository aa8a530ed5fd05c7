//! `PUT /api/ext/v3/conversations/{target}/labels`: sets a conversation's labels.

use crate::prelude::*;
use crate::v3::people::labels::shape::{LabelOn, LabelsChange, LabelsOn};

/// Set a conversation's labels
///
/// Replaces all labels, or adds and removes some. With `add` and `remove`, two clients that change different labels do
/// not undo each other's changes.
#[described::path(
    put,
    path = "/api/ext/v3/conversations/{target}/labels",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The updated labels.", body = LabelsOn),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the label does not exist).",
            body = ErrorBody
        ),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_conversation_labels(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<LabelsChange>,
) -> ApiResult<Json<LabelsOn>> {
    let wanted = input.wanted()?;
    let conversation = state.app.inbox().conversations().set_labels(&caller, (&target).into(), wanted).await?;
    let all = state.app.people().labels().list(&caller).await?;
    Ok(Json(List::from_rows(LabelOn::all(&all, &conversation.labels))))
}
