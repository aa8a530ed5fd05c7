//! The log of events, for those who would rather ask than be told.

pub(super) mod list;
pub(super) mod stream;

use app::webhooks::named_types;
use domain::events::Types;

use crate::error::ApiResult;
use crate::input::Query;

const AFTER: &[&str] = &["after"];
const TYPES: &str = "types";

/// The types asked for, all when none are.
fn types(query: &Query) -> ApiResult<Types> {
    let names = query.list(TYPES);
    if names.is_empty() {
        return Ok(Types::all());
    }
    Ok(named_types(TYPES, &names)?)
}
