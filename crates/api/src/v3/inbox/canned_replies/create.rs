//! `POST /api/ext/v3/cannedReplies`: creates a canned reply.

use app::inbox::canned_replies::CannedReplyRequest;

use super::shape::CannedReplyShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewCannedReply {
    /// Letters, digits, `-`, `_` and `.`. Must be unique, ignoring case. A leading `/` is removed.
    #[schema(example = "late", min_length = 1, max_length = 51)]
    shortcut: String,
    /// Fields are filled in for the person: `{{contact.name}}`, `{{contact.first_name}}`, `{{contact.phone}}`,
    /// `{{contact.username}}`, `{{contact.ATTRIBUTE}}`, `{{operator.name}}`, `{{operator.email}}`, `{{channel.name}}`,
    /// `{{channel.phone}}`. Text after `|` is the fallback: `{{contact.first_name|there}}`.
    #[schema(
        example = "Hello {{contact.first_name|there}}, your order leaves today.",
        min_length = 1,
        max_length = 4096
    )]
    text: String,
}

/// Create a canned reply
///
/// A tenant can have at most 2 000 canned replies; creating another returns `429` with the reason `limit_reached`. Add
/// files afterwards.
#[described::path(
    post,
    path = "/api/ext/v3/cannedReplies",
    responses(
        (status = 200, description = "The canned reply.", body = CannedReplyShape),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if a field does not exist).",
            body = ErrorBody
        ),
        (status = 409, description = "Reasons: `conflict` (another canned reply has this shortcut).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_canned_reply(
    Gated(state, caller): Gated,
    Json(input): Json<NewCannedReply>,
) -> ApiResult<Json<CannedReplyShape>> {
    let request = CannedReplyRequest { shortcut: Some(input.shortcut), text: Some(input.text) };
    Ok(Json(state.app.inbox().canned_replies().create(&caller, request).await?.into()))
}
