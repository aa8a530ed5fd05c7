//! `GET /api/ext/v3/labels`: all labels of the tenant.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::LabelShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Labels {
    labels: Vec<LabelShape>,
}

/// Get labels
///
/// The oldest label first. For the conversations or contacts with a label use the parameter `label` of their lists.
#[utoipa::path(
    get,
    path = "/api/ext/v3/labels",
    tag = "conversations",
    responses((status = 200, description = "All labels.", body = Labels)),
)]
pub(crate) async fn list_labels(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<Labels>> {
    let labels = state.app.labels().list(&caller).await?;
    Ok(Json(Labels { labels: labels.into_iter().map(LabelShape::from).collect() }))
}
