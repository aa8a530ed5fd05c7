//! `POST /api/ext/v3/cannedReplies/{id}/files`: adds a file.

use app::messaging::media::StoredFile;
use axum::extract::Request;
use domain::CannedReplyId;

use super::shape::CannedReplyShape;
use crate::prelude::*;
use crate::shared::messaging::messages::discard;
use crate::shared::messaging::messages::upload::{UploadedForm, upload};

members! {
    #[derive(Debug, ToSchema)]
    pub(crate) struct NewCannedFile from UploadedForm {
        /// An image (up to 5 MiB), a sticker (up to 500 KiB), a video or audio file (up to 16 MiB), or a document (up
        /// to 100 MiB), of a type the network accepts.
        #[schema(value_type = String, format = Binary)]
        file: StoredFile = required_file["file"](),
    }
}

/// Add a file to a canned reply
///
/// A canned reply can have at most 10 files. Use `POST /conversations/messages/cannedFile` to send one.
#[described::path(
    post,
    path = "/api/ext/v3/cannedReplies/{id}/files",
    request_body(content = NewCannedFile, content_type = "multipart/form-data"),
    responses((status = 200, description = "The canned reply with the file.", body = CannedReplyShape)),
)]
pub(crate) async fn add_canned_file(
    Gated(state, caller): Gated,
    Path((id,)): Path<(CannedReplyId,)>,
    request: Request,
) -> ApiResult<Json<CannedReplyShape>> {
    let uploaded = upload(&state, &caller, request).await?;
    let file = NewCannedFile::parse(&uploaded)?.file;
    let added = state.app.inbox().canned_replies().add_file(&caller, id, file.id).await;
    if added.is_err() {
        discard(&state, &caller, file.id).await;
    }
    Ok(Json(added?.into()))
}
