//! `POST /api/ext/v3/cannedReplies/{id}/files`: adds a file.

use app::media::StoredFile;
use axum::Json;
use axum::extract::{Request, State};
use utoipa::ToSchema;

use super::reply_id;
use super::shape::CannedReplyShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, Members as _, members};
use crate::messages::discard;
use crate::messages::upload::{UploadedForm, upload};

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = NewCannedFile)]
    pub(crate) struct AddCannedFileForm from UploadedForm {
        /// An image (5 MiB), a sticker (500 KiB), a video or audio file (16 MiB), or a document (100 MiB) of a type
        /// that the network accepts.
        #[schema(value_type = String, format = Binary)]
        file: StoredFile = required_file["file"](),
    }
}

/// Add a file to a canned reply
///
/// A canned reply has at most 10 files. `POST /conversations/messages/cannedFile` sends one.
#[utoipa::path(
    post,
    path = "/api/ext/v3/cannedReplies/{id}/files",
    tag = "conversations",
    params(("id" = String, Path, description = "The canned reply's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body(content = AddCannedFileForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The canned reply with the file.", body = CannedReplyShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn add_canned_file(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    request: Request,
) -> ApiResult<Json<CannedReplyShape>> {
    let id = reply_id(&id)?;
    let uploaded = upload(&state, &caller, request).await?;
    let file = AddCannedFileForm::parse(&uploaded)?.file;
    let added = state.app.canned_replies().add_file(&caller, id, file.id).await;
    if added.is_err() {
        discard(&state, &caller, file.id).await;
    }
    Ok(Json(added?.into()))
}
