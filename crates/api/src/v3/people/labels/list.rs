//! `GET /api/ext/v3/labels`: all labels of the tenant.

use super::shape::LabelShape;
use crate::prelude::*;

list!(Labels { "labels": LabelShape });

/// Get labels
///
/// Returns all labels, oldest first. To list the conversations or contacts with a label, use the `label` parameter of
/// their lists.
#[described::path(
    get,
    path = "/api/ext/v3/labels",
    responses((status = 200, description = "All labels.", body = Labels)),
)]
pub(crate) async fn list_labels(Gated(state, caller): Gated) -> ApiResult<Json<Labels>> {
    let labels = state.app.people().labels().list(&caller).await?;
    Ok(Json(List::from_rows(labels)))
}
