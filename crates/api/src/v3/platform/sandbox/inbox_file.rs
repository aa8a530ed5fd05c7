//! `GET /api/ext/v3/sandbox/people/{person}/inbox/{message}/file`: a message's file on a person's phone.

use super::Driver;
use crate::prelude::*;
use crate::shared::messaging::file_bytes::FileBytes;

#[derive(Debug, Deserialize)]
pub(crate) struct InboxFilePath {
    person: String,
    message: String,
}

/// Get a file from a person's inbox
///
/// Returns the image, video or document in the message's header, or the file that the message itself is. A file that
/// the business gave as a link is fetched from there, as the network does; private addresses are refused. The type is
/// detected from the first bytes.
#[described::path(
    get,
    path = "/api/ext/v3/sandbox/people/{person}/inbox/{message}/file",
    params(
        (
            "person" = String,
            Path,
            description = "The person's phone number, BSUID, username or name.",
            example = "14155550132"
        ),
        ("message" = String, Path, description = "The message's id.", example = "wamid.HBgLMTQxNTU1NTAxMzIVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA"),
    ),
    responses(
        (
            status = 200,
            description = "The file, with its content type.",
            body = FileBytes,
            content_type = "application/octet-stream",
            headers(("Content-Disposition" = String, description = "The file name.")),
        ),
        (status = 400, description = "Reasons: `url_refused`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_sandbox_inbox_file(
    driver: Driver,
    FromPath(path): FromPath<InboxFilePath>,
) -> ApiResult<FileBytes> {
    Ok(FileBytes(driver.sandbox.open_file(driver.tenant, &path.person, &path.message).await?))
}
