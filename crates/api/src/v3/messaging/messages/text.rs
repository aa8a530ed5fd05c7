//! `POST /api/ext/v3/conversations/messages/text`: sends a text to one person.

use app::messaging::messages::SessionSend;

use super::sent::{SentMessageAnswer, send_and_answer};
use crate::prelude::*;
use crate::shared::messaging::messages;
use crate::shared::messaging::messages::dry_run::DRY_RUN;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewText {
    /// A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    #[schema(example = "Hello!", min_length = 1, max_length = 4096)]
    text: String,
    /// Whether a bot wrote the text.
    #[serde(default, alias = "isBot")]
    #[schema(default = false)]
    is_bot: bool,
    /// Your id for the message. Alias: `localMessageId`.
    #[serde(alias = "localMessageId")]
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
    /// The message that this one replies to, by Switchboard's or the network's id. Alias: `replyContextId`.
    #[serde(alias = "replyContextId")]
    #[schema(nullable = false)]
    reply_context_id: Option<String>,
}

/// Send a text
///
/// Sends a text to a person who wrote in the last 24 hours; otherwise, use a template. `200` means that the message was
/// accepted and stored. It is sent immediately, or as soon as the limits allow.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/text",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    responses(
        (status = 200, description = "The accepted message.", body = SentMessageAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_text(
    Gated(state, caller): Gated,
    query: Query,
    Json(input): Json<NewText>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let dry_run = query.flag(DRY_RUN)?;
    let send = messages::text("text", input.text).map(|body| SessionSend {
        target: input.target,
        channel: None,
        body,
        reply_to: input.reply_context_id,
        local_id: input.local_message_id,
        is_bot: input.is_bot,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    });
    send_and_answer(&state, &caller, dry_run, send).await
}
