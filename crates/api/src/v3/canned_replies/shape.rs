//! The wire shape of a canned reply.

use app::canned_replies::{CannedFile, CannedReplyView};
use domain::time::as_rfc3339;
use domain::{CannedReplyId, MediaId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CannedReply)]
pub(crate) struct CannedReplyShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: CannedReplyId,
    /// The word that operators type after `/`.
    #[schema(example = "late")]
    shortcut: String,
    /// With fields such as `{{contact.first_name|there}}`.
    #[schema(example = "Hello {{contact.first_name|there}}, your order leaves today.")]
    text: String,
    /// The files of the canned reply, in this order.
    files: Vec<CannedFileShape>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    last_updated: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CannedFile)]
pub(crate) struct CannedFileShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7e")]
    id: MediaId,
    #[schema(example = "prices.pdf")]
    name: String,
    #[schema(example = "application/pdf")]
    mime_type: String,
    /// In bytes.
    #[schema(example = 48213)]
    size: i64,
}

impl From<CannedFile> for CannedFileShape {
    fn from(file: CannedFile) -> Self {
        Self { id: file.id, name: file.name, mime_type: file.mime, size: file.size }
    }
}

impl From<CannedReplyView> for CannedReplyShape {
    fn from(view: CannedReplyView) -> Self {
        let CannedReplyView { reply, files } = view;
        Self {
            id: reply.id,
            shortcut: reply.shortcut,
            text: reply.text,
            files: files.into_iter().map(CannedFileShape::from).collect(),
            created: reply.created_at,
            last_updated: reply.updated_at,
        }
    }
}
