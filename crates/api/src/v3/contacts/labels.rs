//! `PUT /api/ext/v3/contacts/{target}/labels`: sets the labels of a contact.

use axum::Json;
use axum::extract::State;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};
use crate::v3::labels::shape::{LabelOnShape, LabelsOnAnswer, SetLabelsRequest};

/// Set the labels of a contact
///
/// Replaces all labels, or adds and removes some. With `add` and `remove`, two clients that change different labels do
/// not undo each other's changes.
#[utoipa::path(
    put,
    path = "/api/ext/v3/contacts/{target}/labels",
    tag = "contacts",
    params(("target" = String, Path, description = "A contact's phone number, id or BSUID.", example = "14155552671")),
    request_body = SetLabelsRequest,
    responses(
        (status = 200, description = "The labels after the change.", body = LabelsOnAnswer),
        (status = 400, description = "Reasons: `invalid_parameter`; also for a label that does not exist.", body = ErrorBody),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_contact_labels(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
    JsonBody(input): JsonBody<SetLabelsRequest>,
) -> ApiResult<Json<LabelsOnAnswer>> {
    let contact = state.app.contacts().set_labels(&caller, &target, input.wanted()?).await?;
    let all = state.app.labels().list(&caller).await?;
    Ok(Json(LabelsOnAnswer { labels: LabelOnShape::all(&all, &contact.labels) }))
}
