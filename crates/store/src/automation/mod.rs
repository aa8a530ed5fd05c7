//! Reactions to the event log, and what they depend on: opening hours.

pub mod opening_hours;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    opening_hours::statements()
}
