//! `POST /{tenantId}/api/v1/sendSessionFileViaUrl/{whatsappNumber}`: sends a file from a URL to one person.

use app::messaging::messages::SessionBody;
use domain::Field;

use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::{MessageIds, SentAnswerV1, build_send, send_and_answer};
use crate::error::Spelling;
use crate::input::{LegacyInput, required};
use crate::prelude::*;
use crate::shared::messaging::messages::{check_caption, discard, file};

const URL: &str = "fileUrl";

members! {
    pub(crate) query SendFileViaUrlQuery from LegacyInput {
        /// The file's URL, in the query, a form or a JSON body.
        #[param(rename = "fileUrl", example = "https://example.com/plan.pdf")]
        file_url: Option<String> = text["fileUrl", "file_url", "url"](),
        /// At most 1024 characters.
        caption: Option<String> = text["caption"](),
    }
}

/// Send a file from a URL
///
/// Switchboard fetches the file, only from public addresses and without following redirects.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionFileViaUrl/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, SendQuery, SendFileViaUrlQuery),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_session_file_via_url(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

/// Send a file from a URL
///
/// Same as the operation with the number in the path, but takes the number from the query, a form or the JSON body.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendSessionFileViaUrl",
    tag = "conversations",
    params(NumberInQuery, SendQuery, SendFileViaUrlQuery),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_session_file_via_url_by_query(
    Gated(state, caller): Gated,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

async fn send(
    state: &ApiState,
    caller: &Caller,
    path: Option<NumberInPath>,
    input: &LegacyInput,
) -> ApiResult<Response> {
    let address = SendAddress::parse(input, path)?;
    let dry_run = address.dry_run;
    let SendFileViaUrlQuery { file_url, caption } = SendFileViaUrlQuery::parse(input)?;
    let (url, ids) = (required(URL, file_url)?, MessageIds::parse(input)?);
    let send = fetch_file(state, caller, &url, caption).await.map(|body| build_send(ids, address, body));
    send_and_answer(state, caller, dry_run, send).await
}

/// Fetches a file, stores it and makes it a message.
pub(super) async fn fetch_file(
    state: &ApiState,
    caller: &Caller,
    url: &str,
    caption: Option<String>,
) -> app::Result<SessionBody> {
    check_caption("caption", caption.as_deref())?;
    let fetched = state.app.messaging().media().fetch(caller, url).await;
    let fetched = fetched.map_err(|error| Spelling(&[(Field::FileUrl, URL)]).error(error))?;
    Ok(file(&fetched, caption))
}

/// Returns `read`. If it is an error, deletes the stored file before.
pub(super) async fn with_file<T>(
    state: &ApiState,
    caller: &Caller,
    id: Option<domain::MediaId>,
    read: ApiResult<T>,
) -> ApiResult<T> {
    if let (Err(_), Some(id)) = (&read, id) {
        discard(state, caller, id).await;
    }
    read
}
