//! `PUT /api/ext/v3/contacts/{target}/labels`: sets a contact's labels.

use crate::prelude::*;
use crate::v3::people::labels::shape::{LabelOn, LabelsChange, LabelsOn};

/// Set a contact's labels
///
/// Replaces all labels, or adds and removes some. With `add` and `remove`, two clients that change different labels do
/// not undo each other's changes.
#[described::path(
    put,
    path = "/api/ext/v3/contacts/{target}/labels",
    params((
        "target" = String,
        Path,
        description = "The contact's phone number, id or BSUID.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The updated labels.", body = LabelsOn),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the label does not exist).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn set_contact_labels(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<LabelsChange>,
) -> ApiResult<Json<LabelsOn>> {
    let contact = state.app.people().contacts().set_labels(&caller, &target, input.wanted()?).await?;
    let all = state.app.people().labels().list(&caller).await?;
    Ok(Json(List::from_rows(LabelOn::all(&all, &contact.labels))))
}
