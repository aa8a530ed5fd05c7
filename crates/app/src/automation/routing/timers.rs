//! The timers of routing. Each transaction gives conversations to operators first; what is left after `MOST_PLACED` of
//! them, or after one batch of a pass, is done by the next transaction.
//!
//! - `Routing` is due when a schedule opens or closes next, or at once if there is more to give.
//! - `RoutingPass` applies the rules again to conversations that wait because of a rule, or because none applied: after
//!   the rules have changed, and when a schedule that a rule has opens or closes.
//! - `RoutingStart` runs after routing was switched on: it finds the conversations that wait in a team already.

use domain::automation::routing::is_waiting;
use domain::base::timers::TimerKind;
use domain::delivery::consumers::ConsumerGroup;
use domain::messaging::conversations::Assignee;
use domain::{ConversationId, TenantId, Timestamp};
use store::Tx;
use store::automation::routing::waiting;
use store::base::timers::DueTimer;

use super::Routing;
use super::place::MOST_PLACED;
use super::snapshot::RoutingSnapshot;
use crate::Result;

/// Conversations that one transaction looks at after routing was switched on.
const START_BATCH: i64 = 200;

#[boxed::futures]
impl Routing<'_> {
    pub(crate) async fn fire(&self, kind: TimerKind, timer: DueTimer) -> Result<()> {
        let input = (kind, timer, self.0.now());
        self.0.db().write(input, |tx, (kind, timer, now)| Box::pin(fire(tx, *kind, timer, *now))).await?;
        if kind == TimerKind::RoutingStart {
            // This node reads at once that the tenant's log has reactions.
            self.0.delivery().endpoint_directory().changed();
        }
        Ok(())
    }
}

async fn fire(tx: &mut Tx<'_>, kind: TimerKind, timer: &DueTimer, now: Timestamp) -> Result<()> {
    let tenant = timer.tenant;
    let Some(after) = timer.id().filter(|_| timer.due_at <= now) else { return Ok(()) };
    // Before the timer: the other transactions that lock both lock them in this order.
    let position = store::delivery::consumers::lock(tx, tenant, ConsumerGroup::Reactions).await?;
    if !store::base::timers::take(tx, timer).await? || position.is_none() {
        return Ok(());
    }
    let mut snapshot = RoutingSnapshot::load(tx, tenant, now, 1).await?;
    if kind == TimerKind::RoutingStart {
        start(tx, &snapshot, after).await?;
    }
    let has_more = snapshot.drain(tx).await?;
    match kind {
        TimerKind::RoutingPass if has_more => set(tx, tenant, kind, after, now).await?,
        TimerKind::RoutingPass => pass(tx, &mut snapshot, after).await?,
        TimerKind::Routing if !has_more && snapshot.has_rules_with_hours() => {
            set(tx, tenant, TimerKind::RoutingPass, ConversationId::LEAST, now).await?;
        }
        _ => {}
    }
    set_next(tx, &snapshot, has_more).await
}

/// Sets the timer for the next time at which conversations can be given: now if there is more to give, otherwise when a
/// schedule opens or closes.
pub(super) async fn set_next(tx: &mut Tx<'_>, snapshot: &RoutingSnapshot, has_more: bool) -> Result<()> {
    let next = if has_more { Some(snapshot.now) } else { snapshot.next_change };
    match next {
        Some(at) => set(tx, snapshot.tenant, TimerKind::Routing, ConversationId::LEAST, at).await,
        None => Ok(()),
    }
}

async fn set(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    kind: TimerKind,
    after: ConversationId,
    due_at: Timestamp,
) -> Result<()> {
    Ok(store::base::timers::set(tx, tenant, kind, after, due_at).await?)
}

/// Applies the rules to the waiting conversations after an id.
async fn pass(tx: &mut Tx<'_>, snapshot: &mut RoutingSnapshot, after: ConversationId) -> Result<()> {
    let rows = waiting::after(tx, snapshot.tenant, after, MOST_PLACED).await?;
    for row in rows.iter().filter(|row| row.by_rule) {
        snapshot.route(tx, row.conversation_id, None).await?;
    }
    go_on(tx, snapshot, TimerKind::RoutingPass, rows.last().map(|row| row.conversation_id)).await
}

/// Lets conversations wait that are assigned to a team.
async fn start(tx: &mut Tx<'_>, snapshot: &RoutingSnapshot, after: ConversationId) -> Result<()> {
    let all = waiting::conversations_after(tx, snapshot.tenant, after, START_BATCH).await?;
    for one in all.iter().filter(|one| is_waiting(one) && matches!(one.assignee, Some(Assignee::Team { .. }))) {
        snapshot.wait_in_team(tx, one).await?;
    }
    go_on(tx, snapshot, TimerKind::RoutingStart, all.last().map(|one| one.id)).await
}

/// Sets the timer for the conversations after the last one. Without a last one, all have been looked at.
async fn go_on(
    tx: &mut Tx<'_>,
    snapshot: &RoutingSnapshot,
    kind: TimerKind,
    last: Option<ConversationId>,
) -> Result<()> {
    match last {
        Some(last) => set(tx, snapshot.tenant, kind, last, snapshot.now).await,
        None => Ok(()),
    }
}
