//! The state of the room.

use std::sync::Arc;

use store::Wakeup;

use crate::base::room::room;
use crate::identity::Identity;
use crate::people::contacts::{ContactFollowers, Totals};
use crate::people::teams::TeamFollowers;

room! {
    /// Whom the business talks to. Cheap to clone.
    People(PeopleState) {
        pub(crate) identity: Identity,
        pub contact_followers: ContactFollowers,
        pub(crate) team_followers: TeamFollowers,
        pub(crate) contact_totals: Totals,
        pub(crate) import_wakeup: Wakeup,
    }
}

impl People {
    pub(crate) fn new(identity: &Identity, contact_followers: ContactFollowers, team_followers: TeamFollowers) -> Self {
        Self(Arc::new(PeopleState {
            base: (**identity).clone(),
            identity: identity.clone(),
            contact_followers,
            team_followers,
            contact_totals: Totals::default(),
            import_wakeup: Wakeup::default(),
        }))
    }
}
