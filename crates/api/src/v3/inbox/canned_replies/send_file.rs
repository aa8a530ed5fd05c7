//! `POST /api/ext/v3/conversations/messages/cannedFile`: sends a canned reply's file to one person.

use app::messaging::messages::SessionSend;
use app::{Error, Thing};
use domain::Place;

use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DRY_RUN;
use crate::shared::messaging::messages::{check_caption, file};
use crate::v3::messaging::messages::sent::{SentMessageAnswer, send_and_answer};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewCannedFileMessage {
    /// A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    canned_reply_id: String,
    /// The id of one of the canned reply's files.
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7e")]
    file_id: String,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
    #[schema(nullable = false)]
    reply_context_id: Option<String>,
}

/// Send a canned reply's file
///
/// The file is already stored, so nothing is uploaded again.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/cannedFile",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    responses(
        (status = 200, description = "The accepted message.", body = SentMessageAnswer),
        (
            status = 400,
            description = "Reasons: `invalid_parameter` (also if the canned reply or the file does not exist).",
            body = ErrorBody
        ),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_canned_file(
    Gated(state, caller): Gated,
    query: Query,
    Json(input): Json<NewCannedFileMessage>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let dry_run = query.flag(DRY_RUN)?;
    let send = prepared(&state, &caller, input, dry_run).await;
    send_and_answer(&state, &caller, dry_run, send).await
}

const NO_REPLY: Error = Error::NotFound(Thing::CannedReply);
const NO_FILE: Error = Error::NotFound(Thing::File);

/// Reports a missing canned reply or file as an invalid value of the member that names it.
fn in_body(error: Error) -> Error {
    match error {
        Error::NotFound(Thing::CannedReply) => {
            Error::invalid(Place::named("canned_reply_id"), "no canned reply has this id")
        }
        Error::NotFound(Thing::File) => {
            Error::invalid(Place::named("file_id"), "the canned reply has no file with this id")
        }
        other => other,
    }
}

async fn prepared(
    state: &ApiState,
    caller: &Caller,
    input: NewCannedFileMessage,
    dry_run: bool,
) -> app::Result<SessionSend> {
    check_caption("caption", input.caption.as_deref())?;
    let id = input.canned_reply_id.parse().map_err(|_| in_body(NO_REPLY))?;
    let file_id = input.file_id.parse().map_err(|_| in_body(NO_FILE))?;
    let stored = state.app.inbox().canned_replies().stored_file(caller, id, file_id).await.map_err(in_body)?;
    Ok(SessionSend {
        target: input.target,
        channel: None,
        body: file(&stored, input.caption),
        reply_to: input.reply_context_id,
        local_id: input.local_message_id,
        is_bot: false,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    })
}
