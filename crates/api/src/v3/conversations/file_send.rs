//! `POST /api/ext/v3/conversations/messages/file`: a file to one person, in a form.

use app::messages::{SessionSend, Source};
use axum::Json;
use axum::extract::{Request, State};
use utoipa::ToSchema;

use super::sent::{Sent, answer};
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{LegacyInput, required};
use crate::messages::upload::{Refused, Uploaded, required_file, upload};
use crate::messages::{checked_caption, discard, file};

#[derive(Debug, ToSchema)]
#[schema(as = NewFileMessage)]
#[expect(dead_code, reason = "a description of a form that is read part by part")]
pub(crate) struct Form {
    /// A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.
    #[schema(example = "14155552671")]
    target: String,
    /// An image (5 MiB), a sticker (500 KiB), a video or audio file (16 MiB), or a document (100 MiB) of a type that the
    /// network takes.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
    #[schema(max_length = 64, nullable = false)]
    local_message_id: Option<String>,
}

/// Send a file
///
/// To a person who wrote in the last 24 hours. The file is kept and goes to the network from here.
#[utoipa::path(
    post,
    path = "/api/ext/v3/conversations/messages/file",
    tag = "conversations",
    params(("dry_run" = Option<bool>, Query, nullable = false, description = "Say what would happen, and send and store nothing.")),
    request_body(content = Form, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The message, accepted.", body = Sent),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_file(
    State(state): State<ApiState>,
    caller: Caller,
    request: Request,
) -> ApiResult<Json<Sent>> {
    let asked = LegacyInput::of_query(&request)?.dry_run()?;
    match upload(&state, &caller, request).await {
        Ok(Uploaded { input, file }) => {
            let sent = send(&state, &caller, &input, file.clone()).await;
            // Whatever was wrong with the rest of the form, the file is not needed.
            if let (Err(_), Some(file)) = (&sent, file) {
                discard(&state, &caller, file.id).await;
            }
            sent
        }
        Err(Refused::File(error)) => answer(&state, &caller, asked, Err(error)).await,
        Err(refused) => Err(refused.into()),
    }
}

async fn send(
    state: &ApiState,
    caller: &Caller,
    input: &LegacyInput,
    given: Option<app::media::File>,
) -> ApiResult<Json<Sent>> {
    let target = required("target", input.text("target")?)?;
    let (caption, dry_run) = (input.text("caption")?, input.dry_run()?);
    let local_id = input.any(&["local_message_id", "localMessageId"])?;
    let reply_to = input.any(&["reply_context_id", "replyContextId"])?;
    let it = required_file(given)?;
    let send = checked_caption("caption", caption.as_deref()).map(|()| SessionSend {
        target,
        member: "target",
        channel: None,
        body: file(&it, caption),
        reply_to,
        local_id,
        is_bot: false,
        source: Source::Api,
        dry_run,
    });
    answer(state, caller, dry_run, send).await
}
