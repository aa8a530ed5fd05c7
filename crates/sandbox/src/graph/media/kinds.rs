//! Accepted media types, and the size limit of each kind.

use crate::graph::error::GraphError;
use crate::graph::parts::Checked;

const MEGABYTE: u64 = 1024 * 1024;
pub const MAX_FILE: u64 = 100 * MEGABYTE;

#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    pub name: &'static str,
    max: u64,
    mime_types: &'static [&'static str],
}

const KINDS: &[FileKind] = &[
    FileKind { name: "image", max: 5 * MEGABYTE, mime_types: &["image/jpeg", "image/png"] },
    FileKind { name: "sticker", max: 500 * 1024, mime_types: &["image/webp"] },
    FileKind { name: "video", max: 16 * MEGABYTE, mime_types: &["video/mp4", "video/3gpp"] },
    FileKind {
        name: "audio",
        max: 16 * MEGABYTE,
        mime_types: &["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/opus"],
    },
    FileKind {
        name: "document",
        max: MAX_FILE,
        mime_types: &[
            "text/plain",
            "application/pdf",
            "application/msword",
            "application/vnd.ms-excel",
            "application/vnd.ms-powerpoint",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ],
    },
];

/// Kind of a media type, ignoring its parameters.
pub fn for_mime(mime_type: &str) -> Option<&'static FileKind> {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    KINDS.iter().find(|kind| kind.mime_types.contains(&essence.as_str()))
}

/// Whether a file of kind `known` can be sent as kind `wanted`: every file can be sent as a document.
pub fn serves(known: &str, wanted: &str) -> bool {
    known == wanted || wanted == "document"
}

pub fn check(mime_type: &str, size: u64) -> Checked<()> {
    let Some(kind) = for_mime(mime_type) else {
        let known: Vec<&str> = KINDS.iter().flat_map(|kind| kind.mime_types).copied().collect();
        let message = format!("Param file must be a file with one of the following types: {}.", known.join(", "));
        return Err(GraphError::parameter(format!("{message} Received file of type '{mime_type}'.")));
    };
    match size {
        0 => Err(GraphError::with_code(131_053).details("The file is empty")),
        size if size > kind.max => Err(too_large(kind.max)),
        _ => Ok(()),
    }
}

pub fn too_large(max: u64) -> GraphError {
    GraphError::with_code(131_053)
        .details(format!("The file is larger than {max} bytes, which is the most for its kind"))
}
