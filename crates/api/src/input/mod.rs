//! Parsing of requests: query, forms, JSON bodies and paths, with the alternative spellings that existing clients use.

mod json;
mod legacy;
mod members;
mod paging;
mod path;
mod person;
mod query;
mod scalar;

pub(crate) use json::{
    Json, RecipientsJson, collect as collect_body, is_json, json_response, parse as parse_json, read as read_body,
};
pub(crate) use legacy::{LegacyInput, mime_of, required};
pub(crate) use members::{FromQuery, Members, members};
pub(crate) use paging::{PageQuery, ShallowPageQuery};
pub(crate) use path::{FromPath, Path};
pub(crate) use person::NamedPerson;
pub(crate) use query::{Query, span, words};
pub(crate) use scalar::Scalar;

/// The limit in bytes for bodies that are not files.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// The limit in bytes for bodies with recipients. The most recipients of one request fit into it.
pub(crate) const MAX_RECIPIENTS_BODY: usize = 8 << 20;

/// Whether the text holds a NUL character. Such a text is refused: PostgreSQL cannot store it.
pub(crate) fn has_nul(text: &str) -> bool {
    text.as_bytes().contains(&0)
}
