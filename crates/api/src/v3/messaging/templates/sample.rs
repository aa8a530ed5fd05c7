//! `POST /api/ext/v3/messageTemplates/samples`: stores a file as a sample for a template's header.

use app::messaging::media::StoredFile;
use axum::extract::Request;
use domain::MediaId;
use domain::messaging::templates::MediaKind;

use crate::prelude::*;
use crate::shared::messaging::messages::discard;
use crate::shared::messaging::messages::upload::{UploadedForm, upload};

const KIND: &str = "type";

members! {
    #[derive(Debug, ToSchema)]
    pub(crate) struct NewTemplateSample from UploadedForm {
        /// The header's type: `image` (JPEG or PNG), `video` (MP4) or `document` (PDF).
        #[schema(rename = "type", example = "image")]
        kind: String = required_text["type"](),
        /// The file's type is detected from its content.
        #[schema(value_type = String, format = Binary)]
        file: StoredFile = required_file["file"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateSample {
    /// Use this as a header's `media_header_id`, or as the sample for the variable in its link.
    id: MediaId,
    #[schema(example = "menu.png")]
    file_name: String,
    #[schema(example = "image/png")]
    content_type: &'static str,
    /// Size in bytes.
    #[schema(example = 48213, minimum = 1)]
    size: u64,
}

/// Upload a header sample
///
/// The network reviews a template with an image, a video or a document based on a sample of that file. A sample that no
/// template uses within a day is deleted.
#[described::path(
    post,
    path = "/api/ext/v3/messageTemplates/samples",
    request_body(content = NewTemplateSample, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The stored file.", body = TemplateSample),
        (status = 400, description = "Reasons: `invalid_parameter`, `invalid_body`, `media_refused`.", body = ErrorBody),
    ),
)]
pub(crate) async fn add_template_sample(
    Gated(state, caller): Gated,
    request: Request,
) -> ApiResult<Json<TemplateSample>> {
    let uploaded = upload(&state, &caller, request).await?;
    let stored = uploaded.file.as_ref().map(|file| file.id);
    let accepted = accept(&state, &caller, &uploaded).await;
    if let (Err(_), Some(id)) = (&accepted, stored) {
        discard(&state, &caller, id).await;
    }
    let StoredFile { id, shown_name, mime, size, .. } = accepted?;
    Ok(Json(TemplateSample { id, file_name: shown_name, content_type: mime, size }))
}

async fn accept(state: &ApiState, caller: &Caller, uploaded: &UploadedForm) -> ApiResult<StoredFile> {
    let NewTemplateSample { kind, file } = NewTemplateSample::parse(uploaded)?;
    let kind = match kind.to_ascii_lowercase().as_str() {
        "image" => MediaKind::Image,
        "video" => MediaKind::Video,
        "document" => MediaKind::Document,
        _ => return Err(ApiError::invalid(KIND, "expected image, video or document")),
    };
    state.app.messaging().media().accept_sample(caller, file.id, kind).await?;
    Ok(file)
}
