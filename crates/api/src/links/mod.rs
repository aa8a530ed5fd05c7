//! Tracked links: `/c/{code}`. The operation is public: a person who opens a link has no credential. `app` verifies the
//! code.

mod open;

use domain::identity::permission::Permission;

use crate::gate::guarded;
use crate::routing::{Operations, routes};

/// The routes of tracked links. They have no rate limit: everyone who receives a broadcast may open its link at the
/// same moment.
pub(crate) fn operations() -> Operations {
    Operations::default().routes(guarded(Permission::public(), routes!(open::open_link)))
}
