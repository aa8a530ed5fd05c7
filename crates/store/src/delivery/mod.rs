//! The event log, event types and payloads, and the webhooks that deliver them.

pub mod consumers;
pub mod events;
pub mod webhooks;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [consumers::statements(), events::statements(), webhooks::statements()].concat()
}
