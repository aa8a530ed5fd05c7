//! `POST /api/ext/v3/conversations/messages/forward`: sends a copy of a message to another person.

use app::messaging::messages::SessionSend;

use super::sent::{SentMessageAnswer, send_and_answer};
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DRY_RUN;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ForwardedMessage {
    /// Who gets the copy: a conversation id, or a contact's phone number, id or BSUID, optionally prefixed with
    /// `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    /// The message to copy, by Switchboard's id.
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    message_id: String,
    /// Your id for the copy.
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
}

/// Forward a message
///
/// Sends a message's file with its caption, its location or its text to another person who wrote in the last 24 hours.
/// Nothing is uploaded again. The network shows the copy as a new message, without its origin. Messages without a text
/// or a stored file, such as contact cards, fail with `invalid_parameter`.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/forward",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    responses(
        (status = 200, description = "The accepted copy.", body = SentMessageAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn forward_message(
    Gated(state, caller): Gated,
    query: Query,
    Json(input): Json<ForwardedMessage>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let dry_run = query.flag(DRY_RUN)?;
    let copied = state.app.messaging().messages().copy(&caller, &input.message_id).await;
    let send = copied.map(|body| SessionSend {
        target: input.target,
        channel: None,
        body,
        reply_to: None,
        local_id: input.local_message_id,
        is_bot: false,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    });
    send_and_answer(&state, &caller, dry_run, send).await
}
