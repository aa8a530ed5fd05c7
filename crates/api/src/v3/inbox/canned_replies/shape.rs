//! The wire shape of a canned reply.

use app::inbox::canned_replies::{CannedFile, CannedReplyView};
use domain::{CannedReplyId, MediaId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CannedReply)]
pub(crate) struct CannedReplyShape {
    id: CannedReplyId,
    /// The word that operators type after `/`.
    #[schema(example = "late")]
    shortcut: String,
    /// May contain fields such as `{{contact.first_name|there}}`.
    #[schema(example = "Hello {{contact.first_name|there}}, your order leaves today.")]
    text: String,
    /// The canned reply's files, in this order.
    files: Vec<CannedFileShape>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_updated: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CannedFile)]
pub(crate) struct CannedFileShape {
    id: MediaId,
    #[schema(example = "prices.pdf")]
    name: String,
    #[schema(example = "application/pdf")]
    mime_type: String,
    /// Size in bytes.
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
