//! Gives waiting conversations to operators.

use super::roster::{OperatorName, Roster};
use super::rule::{Routing, RoutingRule, route};
use super::steps::RoutingStep;
use super::waiting::{RoutingTarget, WaitingConversation};
use crate::{ConversationId, Timestamp};

/// What was decided about one waiting conversation, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignmentDecision {
    pub conversation: ConversationId,
    /// None: it goes on waiting.
    pub assigned: Option<AssignedOperator>,
    pub steps: Vec<RoutingStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignedOperator {
    pub operator: OperatorName,
    /// To be stored as the operator's `last_assigned_at`; no two assignments of one roster have the same time.
    pub at: Timestamp,
}

/// Decides about waiting conversations, oldest first in whatever order they are given, and counts in the roster what
/// the operators get.
pub fn assign(waiting: &[WaitingConversation], roster: &mut Roster, now: Timestamp) -> Vec<AssignmentDecision> {
    let mut oldest_first: Vec<&WaitingConversation> = waiting.iter().collect();
    oldest_first.sort_by_key(|one| (one.waiting_since, one.id));
    oldest_first.into_iter().map(|one| assign_one(one, Vec::new(), roster, now)).collect()
}

/// Routes a conversation that has just begun to wait, and gives it to an operator if one has room. Returns what it
/// waits for otherwise. Conversations that wait already are not passed by: for each of them, nobody had room.
pub fn route_and_assign(
    one: &WaitingConversation,
    rules: &[RoutingRule],
    roster: &mut Roster,
    now: Timestamp,
) -> (RoutingTarget, AssignmentDecision) {
    let Routing { to, steps } = route(one, rules, roster);
    let routed = WaitingConversation { waits_for: to, ..one.clone() };
    (to, assign_one(&routed, steps, roster, now))
}

fn assign_one(
    one: &WaitingConversation,
    mut steps: Vec<RoutingStep>,
    roster: &mut Roster,
    now: Timestamp,
) -> AssignmentDecision {
    let picked = roster.pick(one, &mut steps);
    let operator = picked.and_then(|id| roster.operator(id)).map(|load| load.operator.clone());
    let assigned = operator.map(|operator| AssignedOperator { at: roster.give(operator.id, now), operator });
    AssignmentDecision { conversation: one.id, assigned, steps }
}
