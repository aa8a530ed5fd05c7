//! The state of the room.

use std::sync::Arc;

use crate::base::room::room;
use crate::delivery::EventDelivery;

room! {
    /// Reactions to what happens. Cheap to clone.
    Automation(AutomationState) {}
}

impl Automation {
    pub(crate) fn new(delivery: &EventDelivery) -> Self {
        Self(Arc::new(AutomationState { base: (**delivery).clone() }))
    }
}
