//! The event log, for clients that poll or stream instead of receiving webhooks.

pub(in crate::v3) mod list;
pub(in crate::v3) mod stream;

use app::delivery::webhooks::named_types;
use domain::Field;
use domain::delivery::events::EventTypes;

use crate::error::ApiResult;
/// The requested event types; all types when none are named.
fn types(names: &[String]) -> ApiResult<EventTypes> {
    if names.is_empty() {
        return Ok(EventTypes::all());
    }
    Ok(named_types(Field::Types, names)?)
}
