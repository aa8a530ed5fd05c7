//! V2: channels and messages.

pub(super) mod channels;
pub(super) mod messages;
