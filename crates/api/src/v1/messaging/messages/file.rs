//! `POST /{tenantId}/api/v1/sendSessionFile/{whatsappNumber}`: sends an uploaded file to one person.

use app::messaging::media::StoredFile;
use axum::extract::Request;

use super::file_via_url::with_file;
use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::{MessageIds, SendToPerson, SentAnswerV1, build_send, send_and_answer};
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::shared::messaging::messages::upload::{UploadRefused, UploadedForm, upload};
use crate::shared::messaging::messages::{check_caption, discard, file};

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = SessionFileV1)]
    pub(crate) struct SendFileForm from UploadedForm {
        #[schema(max_length = 1024, nullable = false)]
        caption: Option<String> = text["caption"](),
        /// At most 100 MiB, of a type the network accepts.
        #[schema(value_type = String, format = Binary)]
        file: StoredFile = required_file["file"](),
    }
}

/// Send a file
///
/// Switchboard stores the file and uploads it to the network.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionFile/{whatsappNumber}",
    tag = "conversations",
    params(
        NumberInPath,
        SendQuery,
        ("caption" = Option<String>, Query, nullable = false, description = "In the query or the form, at most 1024 characters."),
    ),
    request_body(content = SendFileForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_session_file(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    request: Request,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), request).await
}

/// Send a file
///
/// Same as the operation with the number in the path, but takes the number from the query or the form.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionFile",
    tag = "conversations",
    params(
        NumberInQuery,
        SendQuery,
        ("caption" = Option<String>, Query, nullable = false, description = "In the query or the form, at most 1024 characters."),
    ),
    request_body(content = SendFileForm, content_type = "multipart/form-data"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_session_file_by_query(Gated(state, caller): Gated, request: Request) -> ApiResult<Response> {
    send(&state, &caller, None, request).await
}

async fn send(state: &ApiState, caller: &Caller, path: Option<NumberInPath>, request: Request) -> ApiResult<Response> {
    let asked = DryRunQuery::is_set(&LegacyInput::of_query(&request)?)?;
    match upload(state, caller, request).await {
        Ok(uploaded) => {
            let id = uploaded.file.as_ref().map(|file| file.id);
            let (send, dry_run) = with_file(state, caller, id, parse(&uploaded, path)).await?;
            if let (Err(_), Some(id)) = (&send, id) {
                discard(state, caller, id).await;
            }
            send_and_answer(state, caller, dry_run, send).await
        }
        Err(UploadRefused::File(error)) => send_and_answer(state, caller, asked, Err(error)).await,
        Err(refused) => Err(refused.into()),
    }
}

fn parse(uploaded: &UploadedForm, path: Option<NumberInPath>) -> ApiResult<(app::Result<SendToPerson>, bool)> {
    let address = SendAddress::parse(&uploaded.input, path)?;
    let dry_run = address.dry_run;
    let SendFileForm { caption, file: given } = SendFileForm::parse(uploaded)?;
    let send = match check_caption("caption", caption.as_deref()) {
        Ok(()) => Ok(build_send(MessageIds::parse(&uploaded.input)?, address, file(&given, caption))),
        Err(error) => Err(error),
    };
    Ok((send, dry_run))
}
