//! Parsing of requests: query, forms, JSON bodies and paths, with the alternative spellings that existing clients use.

mod json;
mod legacy;
mod limits;
mod members;
mod paging;
mod path;
mod person;
mod query;
mod scalar;

pub(crate) use json::{Json, RecipientsJson, collect_body, is_json, json_response, parse_json, read_body};
pub(crate) use legacy::{LegacyInput, mime_of, required};
pub(crate) use limits::{MAX_BODY, MAX_RECIPIENTS_BODY, has_nul};
pub(crate) use members::{FromQuery, Members, members};
pub(crate) use paging::{PageQuery, ShallowPageQuery};
pub(crate) use path::{FromPath, Path};
pub(crate) use person::{NamedPerson, about_person};
pub(crate) use query::{Query, comma_separated, span};
pub(crate) use scalar::Scalar;
