//! `PUT /api/ext/v3/contacts/{target}/labels`: sets the labels of a contact.

use crate::prelude::*;
use crate::v3::labels::shape::{LabelOn, LabelsChange, LabelsOn};

/// Set the labels of a contact
///
/// Replaces all labels, or adds and removes some. With `add` and `remove`, two clients that change different labels do
/// not undo each other's changes.
#[described::path(
    put,
    path = "/api/ext/v3/contacts/{target}/labels",
    params(("target" = String, Path, description = "A contact's phone number, id or BSUID.", example = "14155552671")),
    responses(
        (status = 200, description = "The labels after the change.", body = LabelsOn),
        (status = 400, description = "Reasons: `invalid_parameter`; also for a label that does not exist.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_contact_labels(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<LabelsChange>,
) -> ApiResult<Json<LabelsOn>> {
    let contact = state.app.contacts().set_labels(&caller, &target, input.wanted()?).await?;
    let all = state.app.labels().list(&caller).await?;
    Ok(Json(List::of(LabelOn::all(&all, &contact.labels))))
}
