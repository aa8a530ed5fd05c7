//! Reading what callers send: the one place that knows the spellings that clients in the field use.

mod json;
mod legacy;
mod path;
mod query;

pub(crate) use json::JsonBody;
pub(crate) use legacy::LegacyInput;
pub(crate) use path::FromPath;
pub(crate) use query::Query;

/// Bodies that are not files.
pub(crate) const MAX_BODY: usize = 1 << 20;

/// NUL cannot be stored by every database, and no honest text has it.
pub(crate) fn has_nul(text: &str) -> bool {
    text.as_bytes().contains(&0)
}
