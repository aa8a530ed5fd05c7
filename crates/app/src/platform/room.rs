//! The state of the room.

use std::sync::Arc;

use domain::platform::retention::Retention;

use crate::base::room::room;
use crate::delivery::EventDelivery;
use crate::identity::Identity;
use crate::messaging::Messaging;
use crate::platform::limits::Limiter;

room! {
    /// Running the installation. Cheap to clone.
    Platform(PlatformState) {
        pub(crate) identity: Identity,
        pub(crate) messaging: Messaging,
        pub(crate) delivery: EventDelivery,
        pub limiter: Limiter,
        pub(crate) kept_days: Retention,
    }
}

impl Platform {
    pub(crate) fn new(delivery: &EventDelivery, kept_days: Retention) -> Self {
        Self(Arc::new(PlatformState {
            base: (**delivery).clone(),
            identity: delivery.identity().clone(),
            messaging: delivery.messaging().clone(),
            limiter: Limiter::new(delivery.db().clone(), delivery.clock().clone()),
            delivery: delivery.clone(),
            kept_days,
        }))
    }
}
