//! `POST /api/ext/v3/segments/count`: counts the contacts that a dynamic segment would have.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiState;
use crate::contacts::{NewSegmentGroup, to_groups};
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SegmentConditions)]
pub(crate) struct CountSegmentRequest {
    /// A contact must meet all conditions of one group.
    #[schema(min_items = 1, max_items = 10)]
    groups: Vec<NewSegmentGroup>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SegmentSize {
    #[schema(example = 12, minimum = 0)]
    contact_count: i64,
}

/// Count the contacts that meet conditions
///
/// Shows the size of a dynamic segment before you create or change it. Nothing is stored.
#[utoipa::path(
    post,
    path = "/api/ext/v3/segments/count",
    tag = "contacts",
    request_body = CountSegmentRequest,
    responses(
        (status = 200, description = "The number of contacts.", body = SegmentSize),
        (status = 503, description = "Reasons: `still_counting`, `unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn count_segment(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(input): JsonBody<CountSegmentRequest>,
) -> ApiResult<Json<SegmentSize>> {
    let contact_count = state.app.contacts().count_groups(&caller, to_groups(input.groups)?).await?;
    Ok(Json(SegmentSize { contact_count }))
}
