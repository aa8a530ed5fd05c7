//! `POST /api/ext/v3/segments/count`: counts the contacts that a dynamic segment would contain.

use crate::prelude::*;
use crate::shared::people::contacts::{NewSegmentGroupV1, to_groups};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SegmentConditions {
    /// A contact must meet all conditions of at least one group.
    #[schema(min_items = 1, max_items = 10)]
    groups: Vec<NewSegmentGroupV1>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SegmentSize {
    #[schema(example = 12, minimum = 0)]
    contact_count: i64,
}

/// Count contacts that meet conditions
///
/// Shows the size of a dynamic segment before you create or change it. Nothing is stored.
#[described::path(
    post,
    path = "/api/ext/v3/segments/count",
    responses(
        (status = 200, description = "The number of contacts.", body = SegmentSize),
        (status = 503, description = "Reasons: `still_counting`, `unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn count_segment(
    Gated(state, caller): Gated,
    Json(input): Json<SegmentConditions>,
) -> ApiResult<Json<SegmentSize>> {
    let contact_count = state.app.people().contacts().count_groups(&caller, to_groups(input.groups)?).await?;
    Ok(Json(SegmentSize { contact_count }))
}
