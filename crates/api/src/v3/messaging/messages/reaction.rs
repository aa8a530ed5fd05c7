//! `POST /api/ext/v3/conversations/messages/reaction`: reacts to a message with an emoji.

use app::Error;
use app::messaging::messages::SessionSend;
use domain::Place;
use domain::messaging::messages::check_emoji;

use super::sent::{SentMessageAnswer, send_and_answer};
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DRY_RUN;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewReaction {
    /// The message to react to, by Switchboard's id. The network must have accepted it.
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    message_id: String,
    /// One emoji. It replaces your earlier reaction to the message; an empty text removes it.
    #[schema(example = "👍", max_length = 16)]
    emoji: String,
    /// Your id for the reaction.
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
}

/// React to a message
///
/// Sends an emoji to the person, shown at the message it is about. Reactions need an open 24-hour window, like any free
/// message.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/reaction",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    responses(
        (status = 200, description = "The accepted reaction.", body = SentMessageAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_reaction(
    Gated(state, caller): Gated,
    query: Query,
    Json(input): Json<NewReaction>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let dry_run = query.flag(DRY_RUN)?;
    let send = prepared(&state, &caller, input, dry_run).await;
    send_and_answer(&state, &caller, dry_run, send).await
}

async fn prepared(state: &ApiState, caller: &Caller, input: NewReaction, dry_run: bool) -> app::Result<SessionSend> {
    check_emoji(&input.emoji).map_err(|problem| Error::invalid(Place::named("emoji"), problem))?;
    let messages = state.app.messaging().messages();
    let (conversation, body) = messages.reaction(caller, &input.message_id, &input.emoji).await?;
    Ok(SessionSend {
        target: conversation.to_string(),
        channel: None,
        body,
        reply_to: None,
        local_id: input.local_message_id,
        is_bot: false,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    })
}
