//! The state of the room.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{AccountId, TenantId, Timestamp};
use parking_lot::Mutex;

use crate::base::room::room;
use crate::delivery::EventDelivery;

room! {
    /// Reactions to what happens. Cheap to clone.
    Automation(AutomationState) {
        pub(crate) delivery: EventDelivery,
        /// The connected operators of this node, and when it last saved that they are.
        pub(crate) seen_operators: Mutex<HashMap<(TenantId, AccountId), Timestamp>>,
    }
}

impl Automation {
    pub(crate) fn new(delivery: &EventDelivery) -> Self {
        Self(Arc::new(AutomationState {
            base: (**delivery).clone(),
            delivery: delivery.clone(),
            seen_operators: Mutex::default(),
        }))
    }
}
