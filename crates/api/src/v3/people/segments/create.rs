//! `POST /api/ext/v3/segments`: creates a named set of contacts, either listed or selected by conditions.

use app::people::segments::NewSegment;

use super::shape::SegmentShape;
use crate::prelude::*;
use crate::shared::people::contacts::{NewSegmentGroupV1, to_groups};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewSegment)]
pub(crate) struct CreateSegmentRequest {
    /// Must be unique, ignoring case.
    #[schema(example = "Newsletter", min_length = 1, max_length = 100)]
    name: String,
    /// `static`: contains the contacts you add. `dynamic`: always contains the contacts that currently meet the
    /// conditions.
    #[schema(example = "dynamic")]
    refresh_type: String,
    /// A contact must meet all conditions of at least one group. For a static segment, the contacts that meet them now
    /// are added, at most 10 000.
    #[schema(max_items = 10, nullable = false)]
    groups: Option<Vec<NewSegmentGroupV1>>,
    /// For a static segment: phone numbers, contact ids or BSUIDs.
    #[schema(example = json!(["14155552671"]), max_items = 10_000, nullable = false)]
    contacts: Option<Vec<String>>,
}

/// Create a segment
#[described::path(
    post,
    path = "/api/ext/v3/segments",
    responses(
        (
            status = 200,
            description = "The segment. A static segment includes the number of its contacts.",
            body = SegmentShape
        ),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the contact.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another segment has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_segment(
    Gated(state, caller): Gated,
    Json(input): Json<CreateSegmentRequest>,
) -> ApiResult<Json<SegmentShape>> {
    let dynamic = match input.refresh_type.as_str() {
        "static" => false,
        "dynamic" => true,
        _ => return Err(ApiError::invalid("refresh_type", "expected static or dynamic")),
    };
    let new = NewSegment {
        name: input.name,
        dynamic,
        groups: to_groups(input.groups.unwrap_or_default())?,
        contacts: input.contacts.unwrap_or_default(),
    };
    Ok(Json(state.app.people().contacts().create_segment(&caller, new).await?.into()))
}
