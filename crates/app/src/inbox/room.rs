//! The state of the room.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::base::room::room;
use crate::inbox::conversations::{PresenceBoard, SignalledChanges};
use crate::messaging::Messaging;
use crate::people::People;

/// Most searches of messages at the same time.
const MAX_SEARCHES: usize = 2;

room! {
    /// The team's work on conversations. Cheap to clone.
    Inbox(InboxState) {
        pub(crate) people: People,
        pub(crate) messaging: Messaging,
        pub(crate) presence_board: PresenceBoard,
        pub(crate) signalled_presences: SignalledChanges,
        pub(crate) search_slots: Semaphore,
    }
}

impl Inbox {
    pub(crate) fn new(messaging: &Messaging) -> Self {
        Self(Arc::new(InboxState {
            base: (**messaging).clone(),
            people: messaging.people().clone(),
            messaging: messaging.clone(),
            presence_board: PresenceBoard::default(),
            signalled_presences: SignalledChanges::default(),
            search_slots: Semaphore::new(MAX_SEARCHES),
        }))
    }
}
