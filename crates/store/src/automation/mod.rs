//! Reactions to the event log, and what they depend on: opening hours and routing.

pub mod opening_hours;
pub mod routing;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [opening_hours::statements(), routing::statements()].concat()
}
