//! Switches the reactions to a tenant's log on when routing is used, and off when it is not.

use domain::base::timers::TimerKind;
use domain::delivery::consumers::ConsumerGroup;
use domain::{ConversationId, TenantId, Timestamp};
use futures_util::future::BoxFuture;
use store::Tx;

use crate::Result;
use crate::people::teams::TeamFollower;

/// A team whose method has changed may be the first with automatic assignment, or the last one.
#[derive(Debug)]
pub(crate) struct FollowTeams;

impl TeamFollower for FollowTeams {
    fn changed<'t>(&self, tx: &'t mut Tx<'_>, tenant: TenantId, now: Timestamp) -> BoxFuture<'t, Result<()>> {
        Box::pin(switch(tx, tenant, now))
    }
}

/// Must run in the transaction that changes teams or rules, after the change.
pub(super) async fn switch(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<()> {
    let group = ConsumerGroup::Reactions;
    let is_on = store::delivery::consumers::lock(tx, tenant, group).await?.is_some();
    match (is_on, store::automation::routing::rules::is_routing_used(tx, tenant).await?) {
        (false, true) => {
            store::delivery::consumers::switch_on(tx, tenant, group).await?;
            let first = ConversationId::LEAST;
            store::base::timers::set(tx, tenant, TimerKind::RoutingStart, first, now).await?;
        }
        (true, false) => store::delivery::consumers::switch_off(tx, tenant, group).await?,
        _ => {}
    }
    Ok(())
}
