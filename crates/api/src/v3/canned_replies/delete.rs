//! `DELETE /api/ext/v3/cannedReplies/{id}`

use axum::Json;
use axum::extract::State;
use domain::CannedReplyId;
use serde::Serialize;
use utoipa::ToSchema;

use super::reply_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedCannedReply {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    canned_reply_id: CannedReplyId,
    #[schema(example = true)]
    deleted: bool,
}

/// Delete a canned reply
///
/// Messages that were sent with its files keep them.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/cannedReplies/{id}",
    tag = "conversations",
    params(("id" = String, Path, description = "The canned reply's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The canned reply is deleted.", body = DeletedCannedReply),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_canned_reply(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<DeletedCannedReply>> {
    let id = reply_id(&id)?;
    state.app.canned_replies().remove(&caller, id).await?;
    Ok(Json(DeletedCannedReply { canned_reply_id: id, deleted: true }))
}
