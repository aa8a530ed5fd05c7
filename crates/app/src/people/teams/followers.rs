//! What rooms above this one do when a team is created, changed or deleted. `App::new` gives the list; they run in the
//! transaction of the change.

use std::fmt::Debug;

use domain::{TenantId, Timestamp};
use futures_util::future::BoxFuture;
use store::Tx;

use crate::Result;

pub trait TeamFollower: Debug + Sync {
    /// The tenant's teams are already changed.
    fn changed<'t>(&self, tx: &'t mut Tx<'_>, tenant: TenantId, now: Timestamp) -> BoxFuture<'t, Result<()>>;
}

pub type TeamFollowers = &'static [&'static dyn TeamFollower];
