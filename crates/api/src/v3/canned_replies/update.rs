//! `PUT /api/ext/v3/cannedReplies/{id}`: changes shortcut and text.

use app::canned_replies::CannedReplyRequest;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::reply_id;
use super::shape::CannedReplyShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CannedReplyChange)]
pub(crate) struct UpdateCannedReplyRequest {
    #[schema(example = "late", min_length = 1, max_length = 51, nullable = false)]
    shortcut: Option<String>,
    #[schema(example = "Hello {{contact.first_name|there}}!", min_length = 1, max_length = 4096, nullable = false)]
    text: Option<String>,
}

/// Change a canned reply
///
/// Absent members stay as they are.
#[utoipa::path(
    put,
    path = "/api/ext/v3/cannedReplies/{id}",
    tag = "conversations",
    params(("id" = String, Path, description = "The canned reply's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body = UpdateCannedReplyRequest,
    responses(
        (status = 200, description = "The canned reply after the change.", body = CannedReplyShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another one has this shortcut).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_canned_reply(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<UpdateCannedReplyRequest>,
) -> ApiResult<Json<CannedReplyShape>> {
    let request = CannedReplyRequest { shortcut: input.shortcut, text: input.text };
    Ok(Json(state.app.canned_replies().update(&caller, reply_id(&id)?, request).await?.into()))
}
