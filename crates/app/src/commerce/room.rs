//! The state of the room.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::room::room;
use crate::commerce::payments::LookupRateLimiter;
use crate::identity::Identity;
use crate::messaging::Messaging;
use crate::people::People;

room! {
    /// Orders and payments. Cheap to clone.
    Commerce(CommerceState) {
        pub(crate) identity: Identity,
        pub(crate) people: People,
        pub(crate) messaging: Messaging,
        pub(crate) lookup_limiter: Mutex<LookupRateLimiter>,
    }
}

impl Commerce {
    pub(crate) fn new(messaging: &Messaging) -> Self {
        Self(Arc::new(CommerceState {
            base: (**messaging).clone(),
            identity: messaging.identity().clone(),
            people: messaging.people().clone(),
            messaging: messaging.clone(),
            lookup_limiter: Mutex::default(),
        }))
    }
}
