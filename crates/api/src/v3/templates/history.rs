//! `GET /api/ext/v3/messageTemplates/{template_id}/history`: what the network's reviews changed.

use axum::Json;
use axum::extract::State;
use domain::Timestamp;
use domain::templates::TemplateChange;
use domain::time::as_rfc3339;
use serde::Serialize;
use utoipa::ToSchema;

use super::template_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateHistory {
    /// The latest 200, newest first.
    history: Vec<TemplateChangeShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplateChange)]
pub(crate) struct TemplateChangeShape {
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    at: Timestamp,
    /// `status`, `quality` or `category`.
    #[schema(example = "status")]
    change: &'static str,
    /// Absent for the first rating of the quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "PENDING", nullable = false)]
    before: Option<String>,
    #[schema(example = "REJECTED")]
    after: String,
    /// The network's reason of a rejection.
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

/// Get the history of a template
///
/// Each change of status, quality and category, newest first.
#[utoipa::path(
    get,
    path = "/api/ext/v3/messageTemplates/{template_id}/history",
    tag = "templates",
    params(("template_id" = String, Path, description = "The template's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The changes.", body = TemplateHistory),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_template_history(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<TemplateHistory>> {
    let changes = state.app.templates().history(&caller, template_id(&id)?).await?;
    Ok(Json(TemplateHistory { history: changes.into_iter().map(TemplateChangeShape::from).collect() }))
}
