//! An event of any source.

use domain::DeliveryId;
use domain::delivery::events::EventType;

/// An event, as it is posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenEvent {
    pub number: i64,
    pub id: DeliveryId,
    pub kind: String,
    pub payload: String,
}

/// The name of an event type as this version spells it; a type that this version does not have stays as it is.
pub(super) fn known_name(kind: &str) -> String {
    EventType::named(kind).map_or_else(|_| kind.to_owned(), |kind| kind.name().to_owned())
}
