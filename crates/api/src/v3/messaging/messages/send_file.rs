//! `POST /api/ext/v3/conversations/messages/file`: sends an uploaded file to one person.

use app::messaging::media::StoredFile;
use app::messaging::messages::SessionSend;
use axum::extract::Request;

use super::sent::{SentMessageAnswer, send_and_answer};
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::shared::messaging::messages::upload::{UploadRefused, UploadedForm, upload};
use crate::shared::messaging::messages::{check_caption, discard, file};

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = NewFileMessage)]
    pub(crate) struct SendFileForm from UploadedForm {
        /// A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with `channel:`.
        #[schema(example = "14155552671")]
        target: String = required_text["target"](),
        #[schema(max_length = 1024, nullable = false)]
        caption: Option<String> = text["caption"](),
        #[schema(max_length = 64, nullable = false)]
        local_message_id: Option<String> = text["local_message_id", "localMessageId"](),
        #[schema(ignore)]
        reply_context_id: Option<String> = text["reply_context_id", "replyContextId"](),
        /// An image (up to 5 MiB), a sticker (up to 500 KiB), a video or audio file (up to 16 MiB), or a document (up
        /// to 100 MiB), of a type the network accepts.
        #[schema(value_type = String, format = Binary)]
        file: StoredFile = required_file["file"](),
    }
}

/// Send a file
///
/// Sends a file to a person who wrote in the last 24 hours. Switchboard stores the file and uploads it to the network.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/messages/file",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen without sending or storing anything."
    )),
    request_body(content = SendFileForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The accepted message.", body = SentMessageAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_file(Gated(state, caller): Gated, request: Request) -> ApiResult<Json<SentMessageAnswer>> {
    let asked = DryRunQuery::is_set(&LegacyInput::of_query(&request)?)?;
    match upload(&state, &caller, request).await {
        Ok(uploaded) => {
            let sent = send(&state, &caller, &uploaded).await;
            // The file is not needed if anything else in the form is wrong.
            if let (Err(_), Some(file)) = (&sent, uploaded.file) {
                discard(&state, &caller, file.id).await;
            }
            sent
        }
        Err(UploadRefused::File(error)) => send_and_answer(&state, &caller, asked, Err(error)).await,
        Err(refused) => Err(refused.into()),
    }
}

async fn send(state: &ApiState, caller: &Caller, uploaded: &UploadedForm) -> ApiResult<Json<SentMessageAnswer>> {
    let form = SendFileForm::parse(uploaded)?;
    let dry_run = DryRunQuery::is_set(&uploaded.input)?;
    let send = check_caption("caption", form.caption.as_deref()).map(|()| SessionSend {
        target: form.target,
        channel: None,
        body: file(&form.file, form.caption),
        reply_to: form.reply_context_id,
        local_id: form.local_message_id,
        is_bot: false,
        source: caller.message_source(),
        dry_run,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    });
    send_and_answer(state, caller, dry_run, send).await
}
