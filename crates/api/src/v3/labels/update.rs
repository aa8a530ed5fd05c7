//! `PUT /api/ext/v3/labels/{id}`: renames or recolours a label.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::create::label_request;
use super::label_id;
use super::shape::LabelShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = LabelChange)]
pub(crate) struct UpdateLabelRequest {
    #[schema(example = "vip", min_length = 1, max_length = 50, nullable = false)]
    name: Option<String>,
    #[schema(example = "purple", nullable = false)]
    color: Option<String>,
}

/// Change a label
///
/// Absent members stay as they are. The label changes everywhere it is used.
#[utoipa::path(
    put,
    path = "/api/ext/v3/labels/{id}",
    tag = "conversations",
    params(("id" = String, Path, description = "The label's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body = UpdateLabelRequest,
    responses(
        (status = 200, description = "The label after the change.", body = LabelShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another label has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_label(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<UpdateLabelRequest>,
) -> ApiResult<Json<LabelShape>> {
    let request = label_request(input.name, input.color.as_deref())?;
    Ok(Json(state.app.labels().update(&caller, label_id(&id)?, request).await?.into()))
}
