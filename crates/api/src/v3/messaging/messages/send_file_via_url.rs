//! `POST /api/ext/v3/conversations/messages/fileViaUrl`: sends a file from a URL to one person.

use app::messaging::messages::SessionSend;

use super::sent::{SentMessageAnswer, send_and_answer};
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DRY_RUN;
use crate::shared::messaging::messages::{check_caption, file};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewFileViaUrl {
    /// A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    /// A public URL that returns a file of a type the network accepts. Alias: `fileUrl`.
    #[serde(alias = "fileUrl")]
    #[schema(example = "https://example.com/plan.pdf")]
    file_url: String,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
    /// Your id for the message. Alias: `localMessageId`.
    #[serde(alias = "localMessageId")]
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
    /// The message that this one replies to, by Switchboard's or the network's id. Alias: `replyContextId`.
    #[serde(alias = "replyContextId")]
    #[schema(nullable = false)]
    reply_context_id: Option<String>,
}

/// Send a file from a URL
///
/// Switchboard fetches the file, only from public addresses and without following redirects, stores it and uploads it
/// to the network.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/fileViaUrl",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen. The file is fetched and discarded; nothing is sent or \
            stored."
    )),
    responses(
        (status = 200, description = "The accepted message.", body = SentMessageAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_file_via_url(
    Gated(state, caller): Gated,
    query: Query,
    Json(input): Json<NewFileViaUrl>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let dry_run = query.flag(DRY_RUN)?;
    let send = prepared(&state, &caller, input, dry_run).await;
    send_and_answer(&state, &caller, dry_run, send).await
}

async fn prepared(state: &ApiState, caller: &Caller, input: NewFileViaUrl, dry_run: bool) -> app::Result<SessionSend> {
    check_caption("caption", input.caption.as_deref())?;
    let fetched = state.app.messaging().media().fetch(caller, &input.file_url).await?;
    Ok(SessionSend {
        target: input.target,
        channel: None,
        body: file(&fetched, input.caption),
        reply_to: input.reply_context_id,
        local_id: input.local_message_id,
        is_bot: false,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    })
}
