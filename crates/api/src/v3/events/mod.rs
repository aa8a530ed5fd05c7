//! The log of events, for those who would rather ask than be told.

pub(super) mod list;
pub(super) mod stream;

use app::webhooks::named_types;
use domain::events::EventTypes;

use crate::error::ApiResult;
/// The types asked for, all when none are.
fn types(names: &[String]) -> ApiResult<EventTypes> {
    if names.is_empty() {
        return Ok(EventTypes::all());
    }
    Ok(named_types("types", names)?)
}
