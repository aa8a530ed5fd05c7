//! `PUT /api/ext/v3/conversations/{target}/labels`: sets the labels of a conversation.

use axum::Json;
use axum::extract::State;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};
use crate::v3::labels::shape::{LabelOnShape, LabelsOnAnswer, SetLabelsRequest};

/// Set the labels of a conversation
///
/// Replaces all labels, or adds and removes some. With `add` and `remove`, two clients that change different labels do
/// not undo each other's changes.
#[utoipa::path(
    put,
    path = "/api/ext/v3/conversations/{target}/labels",
    tag = "conversations",
    params(("target" = String, Path, description = "A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.", example = "14155552671")),
    request_body = SetLabelsRequest,
    responses(
        (status = 200, description = "The labels after the change.", body = LabelsOnAnswer),
        (status = 400, description = "Reasons: `invalid_parameter`; also for a label that does not exist.", body = ErrorBody),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_conversation_labels(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
    JsonBody(input): JsonBody<SetLabelsRequest>,
) -> ApiResult<Json<LabelsOnAnswer>> {
    let wanted = input.wanted()?;
    let conversation = state.app.conversations().set_labels(&caller, (&target).into(), "target", wanted).await?;
    let all = state.app.labels().list(&caller).await?;
    Ok(Json(LabelsOnAnswer { labels: LabelOnShape::all(&all, &conversation.labels) }))
}
