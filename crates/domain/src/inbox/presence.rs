//! Who is viewing or writing in a conversation right now.

use crate::base::named::named;
use crate::{AccountId, Timestamp};

named! {
    PresenceState { Viewing => "viewing", Writing => "writing" }
}

/// How long an operator counts as present after the console's last report. A console reports more often than this.
pub const PRESENCE_SECONDS: i64 = 15;

/// An operator in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    pub account_id: AccountId,
    pub email: String,
    pub state: PresenceState,
    pub until: Timestamp,
}
