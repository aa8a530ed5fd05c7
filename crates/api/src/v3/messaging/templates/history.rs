//! `GET /api/ext/v3/messageTemplates/{template_id}/history`: what the network's reviews changed.

use domain::TemplateId;
use domain::messaging::templates::TemplateChange;

use crate::prelude::*;

list!(TemplateHistory { "history": TemplateChangeShape } "The latest 200 changes, newest first.");

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateChange)]
pub(crate) struct TemplateChangeShape {
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    /// `status`, `quality` or `category`.
    #[schema(example = "status")]
    change: &'static str,
    /// Absent for the first quality rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "PENDING", nullable = false)]
    before: Option<String>,
    #[schema(example = "REJECTED")]
    after: String,
    /// The network's reason for a rejection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "INCORRECT_CATEGORY", nullable = false)]
    reason: Option<String>,
}

impl From<TemplateChange> for TemplateChangeShape {
    fn from(change: TemplateChange) -> Self {
        let TemplateChange { at, change, before, after, reason } = change;
        Self { at, change: change.name(), before, after, reason }
    }
}

/// Get a template's history
///
/// Returns each change to the status, quality and category, newest first.
#[described::path(
    get,
    path = "/api/ext/v3/messageTemplates/{template_id}/history",
    responses((status = 200, description = "The changes.", body = TemplateHistory)),
)]
pub(crate) async fn get_template_history(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TemplateId,)>,
) -> ApiResult<Json<TemplateHistory>> {
    let changes = state.app.messaging().templates().history(&caller, id).await?;
    Ok(Json(List::from_rows(changes)))
}
