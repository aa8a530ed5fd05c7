//! `PUT /api/ext/v3/labels/{id}`: renames or recolours a label.

use domain::LabelId;

use super::create::label_request;
use super::shape::LabelShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = LabelChange)]
pub(crate) struct UpdateLabelRequest {
    #[schema(example = "vip", min_length = 1, max_length = 50, nullable = false)]
    name: Option<String>,
    #[schema(example = "purple", nullable = false)]
    color: Option<String>,
}

/// Update a label
///
/// Omitted members keep their values. The label changes everywhere it is used.
#[described::path(
    put,
    path = "/api/ext/v3/labels/{id}",
    responses(
        (status = 200, description = "The updated label.", body = LabelShape),
        (status = 409, description = "Reasons: `conflict` (another label has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_label(
    Gated(state, caller): Gated,
    Path((id,)): Path<(LabelId,)>,
    Json(input): Json<UpdateLabelRequest>,
) -> ApiResult<Json<LabelShape>> {
    let request = label_request(input.name, input.color.as_deref())?;
    Ok(Json(state.app.people().labels().update(&caller, id, request).await?.into()))
}
