//! Reading what callers send: the one place that knows the spellings that clients in the field use.

mod json;
mod legacy;
mod members;
mod paging;
mod path;
mod person;
mod query;
mod scalar;

pub(crate) use json::{JsonBody, is_json, parse as parse_json, read as read_body, read_up_to};
pub(crate) use legacy::{LegacyInput, mime_of, required};
pub(crate) use members::{FromQuery, Members, members};
pub(crate) use paging::{PageQuery, ShallowPageQuery};
pub(crate) use path::FromPath;
pub(crate) use person::NamedPerson;
pub(crate) use query::{Query, span};
pub(crate) use scalar::Scalar;

/// Bodies that are not files.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// Bodies that name as many recipients as one request may have.
pub(crate) const MAX_RECIPIENTS_BODY: usize = 8 << 20;

/// NUL cannot be stored by every database, and no honest text has it.
pub(crate) fn has_nul(text: &str) -> bool {
    text.as_bytes().contains(&0)
}
