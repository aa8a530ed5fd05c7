//! Errors of a row, which reject that row, and errors of a file, which refuse the whole file.

/// Why a row is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowProblem {
    /// The column's name in the file; empty when the error is about the whole row.
    pub column: String,
    pub reason: String,
}

/// Longest column name or reason that is stored, in characters: both may quote the file.
const MAX_TEXT: usize = 300;

impl RowProblem {
    pub fn new(column: &str, reason: impl std::fmt::Display) -> Self {
        Self { column: presentable(column), reason: presentable(&reason.to_string()) }
    }

    pub fn of_row(reason: impl std::fmt::Display) -> Self {
        Self::new("", reason)
    }
}

fn presentable(text: &str) -> String {
    text.chars().take(MAX_TEXT).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Why a file is refused as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFile {
    #[error("the file is empty")]
    Empty,
    #[error("the file is {0}, not UTF-8: save it as UTF-8 and import it again")]
    Encoding(&'static str),
    #[error("byte {0} of the file is NUL, so it is not UTF-8 text: save it as UTF-8 and import it again")]
    Nul(u64),
    #[error("row 1: the header is not UTF-8 in column {0}: save the file as UTF-8 and import it again")]
    HeaderEncoding(usize),
    #[error("row 1: the header has an unclosed quote in column {0}")]
    HeaderQuote(usize),
    #[error("row 1: the header is longer than {MAX_ROW} bytes")]
    HeaderTooLong,
    #[error("row 1: column {0} has no name")]
    Nameless(usize),
    #[error(
        "row 1: columns {0} ({1}) and {2} ({3}) stand for the same field: remove or rename one; a column called attribute.NAME is always an attribute"
    )]
    Twice(usize, String, usize, String),
    #[error(
        "row 1: column {0} ({1}) says who has opted out: replace it by opted_in with the opposite values, or call it attribute.{1} to keep it as an attribute"
    )]
    OptOut(usize, String),
    #[error("row 1: the name of column {0} is longer than {max} characters", max = domain::people::contacts::MAX_PARAM_NAME_CHARACTERS)]
    NameTooLong(usize),
    #[error(
        "row 1: the header must name the columns, one of them phone (also whatsapp_number, number, mobile) or bsuid{0}"
    )]
    NoPerson(&'static str),
    #[error("row 1: the file is a JSON array; expected one JSON object per line")]
    JsonArray,
}

/// The longest row, in bytes. It bounds how much of a file a quote that is never closed can take in.
pub(super) const MAX_ROW: usize = 1 << 20;
