//! `POST /api/ext/v3/cannedReplies`: creates a canned reply.

use app::canned_replies::CannedReplyRequest;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::shape::CannedReplyShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewCannedReply)]
pub(crate) struct CreateCannedReplyRequest {
    /// Letters, digits, `-`, `_` and `.`; unique, regardless of letter case. A leading `/` is removed.
    #[schema(example = "late", min_length = 1, max_length = 51)]
    shortcut: String,
    /// Fields are filled in for the person: `{{contact.name}}`, `{{contact.first_name}}`, `{{contact.phone}}`,
    /// `{{contact.username}}`, `{{contact.ATTRIBUTE}}`, `{{operator.name}}`, `{{operator.email}}`, `{{channel.name}}`,
    /// `{{channel.phone}}`. The text after `|` is used if the field has no value: `{{contact.first_name|there}}`.
    #[schema(
        example = "Hello {{contact.first_name|there}}, your order leaves today.",
        min_length = 1,
        max_length = 4096
    )]
    text: String,
}

/// Create a canned reply
///
/// A tenant has at most 2 000; creating another returns `429` with the reason `limit_reached`. Files are added
/// afterwards.
#[utoipa::path(
    post,
    path = "/api/ext/v3/cannedReplies",
    tag = "conversations",
    request_body = CreateCannedReplyRequest,
    responses(
        (status = 200, description = "The canned reply.", body = CannedReplyShape),
        (status = 400, description = "Reasons: `invalid_parameter`; also for a field that does not exist.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict` (another one has this shortcut).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_canned_reply(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(input): JsonBody<CreateCannedReplyRequest>,
) -> ApiResult<Json<CannedReplyShape>> {
    let request = CannedReplyRequest { shortcut: Some(input.shortcut), text: Some(input.text) };
    Ok(Json(state.app.canned_replies().create(&caller, request).await?.into()))
}
