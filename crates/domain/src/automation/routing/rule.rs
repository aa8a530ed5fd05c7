//! Rules: which team or operator a conversation goes to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::pick::passed_over;
use super::roster::Roster;
use super::steps::RoutingStep;
use super::waiting::{RoutingTarget, WaitingConversation};
use crate::people::teams::{AssignmentMethod, Language};
use crate::{AccountId, ChannelId, LabelId, OpeningHoursId, RoutingRuleId, SegmentId};

/// A rule. A tenant's rules have an order; the first one whose conditions hold decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutingRule {
    pub id: RoutingRuleId,
    pub name: String,
    pub conditions: RoutingConditions,
    /// A returning customer goes to the operator who had the conversation before, if that operator is available and has
    /// room; otherwise to the target.
    pub to_former_operator: bool,
    pub target: RoutingTarget,
    /// No later rule is tried, even if the target is closed, away or full at the moment.
    pub stop: bool,
}

/// All of them must hold. An empty set says nothing; of the others one member is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoutingConditions {
    pub channels: BTreeSet<ChannelId>,
    pub labels: BTreeSet<LabelId>,
    pub segments: BTreeSet<SegmentId>,
    pub languages: BTreeSet<Language>,
    pub hours: Option<HoursCondition>,
}

/// Inside or outside the opening hours of a schedule. A schedule that was deleted is always open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoursCondition {
    pub opening_hours_id: OpeningHoursId,
    pub is_open: bool,
}

/// What the rules say about a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    pub to: RoutingTarget,
    pub steps: Vec<RoutingStep>,
}

impl RoutingConditions {
    pub fn hold(&self, one: &WaitingConversation, roster: &Roster) -> bool {
        let is_open = |id| roster.schedule(id).is_none_or(|state| state.is_open);
        (self.channels.is_empty() || self.channels.contains(&one.channel))
            && (self.labels.is_empty() || one.labels.iter().any(|label| self.labels.contains(label)))
            && (self.segments.is_empty() || one.segments.iter().any(|segment| self.segments.contains(segment)))
            && (self.languages.is_empty() || one.language.iter().any(|language| self.languages.contains(language)))
            && self.hours.is_none_or(|hours| is_open(hours.opening_hours_id) == hours.is_open)
    }
}

/// Finds the rule for a conversation. The first rule that applies decides. If it does not stop, and its target is
/// closed, away or full at the moment, a later rule that applies and can place the conversation now decides instead.
/// What the conversation waits for already does not matter.
pub fn route(one: &WaitingConversation, rules: &[RoutingRule], roster: &Roster) -> Routing {
    let mut steps = Vec::new();
    let mut first = None;
    for rule in rules.iter().filter(|rule| rule.conditions.hold(one, roster)) {
        steps.push(RoutingStep::RuleMatched { rule: rule.id, name: rule.name.clone() });
        if let Some(operator) = one.former_operator.filter(|_| rule.to_former_operator)
            && let Some(to) = roster.former(operator, &mut steps)
        {
            return Routing { to, steps };
        }
        if rule.stop || roster.can_take(rule.target, one, &mut steps) {
            return roster.sent(rule.target, steps);
        }
        first = first.or(Some(rule));
    }
    let Some(RoutingRule { id: rule, name, target, .. }) = first else {
        steps.push(RoutingStep::NoRuleMatched);
        return Routing { to: RoutingTarget::Unassigned, steps };
    };
    steps.push(RoutingStep::FirstRuleDecides { rule: *rule, name: name.clone() });
    roster.sent(*target, steps)
}

impl Roster {
    fn former(&self, id: AccountId, steps: &mut Vec<RoutingStep>) -> Option<RoutingTarget> {
        let Some(load) = self.operator(id) else {
            steps.push(RoutingStep::FormerGone);
            return None;
        };
        let operator = load.operator.clone();
        if let Some(reason) = passed_over(load, self.own_capacity(id)) {
            steps.push(RoutingStep::FormerPassedOver { operator, reason });
            return None;
        }
        steps.push(RoutingStep::Returned { operator });
        Some(RoutingTarget::Operator(id))
    }

    /// Whether the target can do something with the conversation now. If not, the steps say why.
    fn can_take(&self, target: RoutingTarget, one: &WaitingConversation, steps: &mut Vec<RoutingStep>) -> bool {
        let mut reasons = Vec::new();
        let can_take = match target {
            RoutingTarget::Team(id) => self.open_team(id, &mut reasons).is_some_and(|team| {
                team.settings.method == AssignmentMethod::ByHand || self.pick_member(team, one, &mut reasons).is_some()
            }),
            RoutingTarget::Operator(id) => self.pick_operator(id, &mut reasons).is_some(),
            RoutingTarget::Unassigned => true,
        };
        if !can_take {
            steps.append(&mut reasons);
        }
        can_take
    }

    fn sent(&self, to: RoutingTarget, mut steps: Vec<RoutingStep>) -> Routing {
        steps.extend(match to {
            RoutingTarget::Team(id) => self.team(id).map(|routing| RoutingStep::SentToTeam { team: routing.team() }),
            RoutingTarget::Operator(id) => {
                self.operator(id).map(|load| RoutingStep::SentToOperator { operator: load.operator.clone() })
            }
            RoutingTarget::Unassigned => None,
        });
        Routing { to, steps }
    }
}
