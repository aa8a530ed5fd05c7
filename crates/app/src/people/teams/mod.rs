//! Teams: the list of a tenant, the members of each, and the teams of a contact.

mod followers;
mod list;
mod members;
mod of_contact;
mod write;

pub use followers::{TeamFollower, TeamFollowers};
pub use list::{CountedTeam, MemberView, TeamView};
pub use members::MemberRequest;
pub use write::TeamRequest;

use domain::delivery::events::{Fact, InboxChange, InboxSubject};
use domain::{TenantId, Timestamp};
use store::Tx;

use crate::base::emit::emit;
use crate::people::People;
use crate::{Error, Result, Thing};

#[derive(Debug)]
pub struct Teams<'a>(&'a People);

impl People {
    pub fn teams(&self) -> Teams<'_> {
        Teams(self)
    }
}

const NO_TEAM: Error = Error::NotFound(Thing::Team);

/// Emits that the teams or their members have changed, for open consoles.
async fn emit_change(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<()> {
    let change = InboxChange::about(InboxSubject::Teams);
    emit(tx, tenant, &[Fact::inbox_changed(now.to_millis(), &change)]).await
}
