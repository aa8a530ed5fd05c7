//! `GET /api/ext/v3/cannedReplies`: all canned replies of the tenant.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::CannedReplyShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CannedReplies {
    canned_replies: Vec<CannedReplyShape>,
}

/// Get canned replies
///
/// Ordered by shortcut.
#[utoipa::path(
    get,
    path = "/api/ext/v3/cannedReplies",
    tag = "conversations",
    responses((status = 200, description = "All canned replies.", body = CannedReplies)),
)]
pub(crate) async fn list_canned_replies(
    State(state): State<ApiState>,
    caller: Caller,
) -> ApiResult<Json<CannedReplies>> {
    let all = state.app.canned_replies().list(&caller).await?;
    Ok(Json(CannedReplies { canned_replies: all.into_iter().map(CannedReplyShape::from).collect() }))
}
