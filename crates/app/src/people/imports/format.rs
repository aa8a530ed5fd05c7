//! The two formats of contact files, and how a file's format is recognized.

use std::path::Path;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    /// One JSON object a line.
    Jsonl,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected csv or jsonl")]
pub struct NotAFormat;

impl FromStr for Format {
    type Err = NotAFormat;

    fn from_str(text: &str) -> Result<Self, NotAFormat> {
        match text {
            "csv" => Ok(Self::Csv),
            "jsonl" | "ndjson" => Ok(Self::Jsonl),
            _ => Err(NotAFormat),
        }
    }
}

impl Format {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Jsonl => "application/x-ndjson",
        }
    }

    /// The format of a content type that has no parameters.
    pub fn of_content_type(mime: &str) -> Option<Self> {
        match mime {
            "text/csv" | "application/csv" => Some(Self::Csv),
            "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/json-lines"
            | "application/x-jsonlines" => Some(Self::Jsonl),
            _ => None,
        }
    }

    pub fn of_file(name: &Path) -> Option<Self> {
        let extension = name.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// Recognizes the format by the first byte that is no blank: `{` and `[` mean JSON Lines. For a CSV file whose
    /// header begins with one of these, the format must be named.
    pub fn of_text(beginning: &[u8]) -> Self {
        let text = beginning.strip_prefix(BOM).unwrap_or(beginning);
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => Self::Jsonl,
            _ => Self::Csv,
        }
    }
}

/// The byte order mark that some programs write before UTF-8.
pub(super) const BOM: &[u8] = &[0xef, 0xbb, 0xbf];
