//! `PUT /api/ext/v3/segments/{id}`: renames a segment, or changes its conditions or contacts.

use app::people::segments::SegmentUpdate;
use domain::SegmentId;

use super::shape::SegmentShape;
use crate::prelude::*;
use crate::shared::people::contacts::{NewSegmentGroupV1, to_groups};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SegmentChange {
    #[schema(example = "Newsletter", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// For a dynamic segment: replaces its conditions.
    #[schema(min_items = 1, max_items = 10, nullable = false)]
    groups: Option<Vec<NewSegmentGroupV1>>,
    /// For a static segment: contacts to add, by phone number, contact id or BSUID.
    #[schema(example = json!(["14155552671"]), max_items = 10_000, nullable = false)]
    add: Option<Vec<String>>,
    /// For a static segment: contacts to remove. A contact in both lists is removed.
    #[schema(max_items = 10_000, nullable = false)]
    remove: Option<Vec<String>>,
}

/// Update a segment
///
/// Omitted members keep their values. A static segment stays static, a dynamic one dynamic.
#[described::path(
    put,
    path = "/api/ext/v3/segments/{id}",
    responses(
        (status = 200, description = "The updated segment.", body = SegmentShape),
        (
            status = 404,
            description = "Reasons: `not_found`; if a contact does not exist, `parameter` names it.",
            body = ErrorBody
        ),
        (status = 409, description = "Reasons: `conflict` (another segment has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_segment(
    Gated(state, caller): Gated,
    Path((id,)): Path<(SegmentId,)>,
    Json(input): Json<SegmentChange>,
) -> ApiResult<Json<SegmentShape>> {
    let update = SegmentUpdate {
        name: input.name,
        groups: input.groups.map(to_groups).transpose()?,
        add: input.add.unwrap_or_default(),
        remove: input.remove.unwrap_or_default(),
    };
    Ok(Json(state.app.people().contacts().update_segment(&caller, id, update).await?.into()))
}
