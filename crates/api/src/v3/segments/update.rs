//! `PUT /api/ext/v3/segments/{id}`: renames a segment, or changes its conditions or members.

use app::contacts::SegmentUpdate;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::segment_id;
use super::shape::SegmentShape;
use crate::ApiState;
use crate::contacts::{NewSegmentGroup, to_groups};
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SegmentChange)]
pub(crate) struct UpdateSegmentRequest {
    #[schema(example = "Newsletter", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// For a dynamic segment: replaces its conditions.
    #[schema(min_items = 1, max_items = 10, nullable = false)]
    groups: Option<Vec<NewSegmentGroup>>,
    /// For a static segment: contacts to add, by phone number, contact id or BSUID.
    #[schema(example = json!(["14155552671"]), max_items = 10_000, nullable = false)]
    add: Option<Vec<String>>,
    /// For a static segment: contacts to remove. A contact in both lists is removed.
    #[schema(max_items = 10_000, nullable = false)]
    remove: Option<Vec<String>>,
}

/// Change a segment
///
/// Absent members stay as they are. A static segment stays static, a dynamic one dynamic.
#[utoipa::path(
    put,
    path = "/api/ext/v3/segments/{id}",
    tag = "contacts",
    params(("id" = String, Path, description = "The segment's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body = UpdateSegmentRequest,
    responses(
        (status = 200, description = "The segment after the change.", body = SegmentShape),
        (status = 404, description = "Reasons: `not_found`; of a contact, `parameter` names it.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another segment has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_segment(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<UpdateSegmentRequest>,
) -> ApiResult<Json<SegmentShape>> {
    let update = SegmentUpdate {
        name: input.name,
        groups: input.groups.map(to_groups).transpose()?,
        add: input.add.unwrap_or_default(),
        remove: input.remove.unwrap_or_default(),
    };
    Ok(Json(state.app.contacts().update_segment(&caller, segment_id(&id)?, update).await?.into()))
}
