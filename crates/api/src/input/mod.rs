//! Parsing of requests: the only place that knows the spellings of clients in the field.

mod json;
mod legacy;
mod members;
mod paging;
mod path;
mod person;
mod query;
mod scalar;

pub(crate) use json::{JsonBody, collect as collect_body, is_json, parse as parse_json, read as read_body};
pub(crate) use legacy::{LegacyInput, mime_of, required};
pub(crate) use members::{FromQuery, Members, members};
pub(crate) use paging::{PageQuery, ShallowPageQuery};
pub(crate) use path::FromPath;
pub(crate) use person::NamedPerson;
pub(crate) use query::{Query, span, words};
pub(crate) use scalar::Scalar;

/// The limit for bodies that are not files.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// The limit for bodies with the most recipients that one request may have.
pub(crate) const MAX_RECIPIENTS_BODY: usize = 8 << 20;

/// PostgreSQL cannot store NUL in text, and no valid input contains it.
pub(crate) fn has_nul(text: &str) -> bool {
    text.as_bytes().contains(&0)
}
