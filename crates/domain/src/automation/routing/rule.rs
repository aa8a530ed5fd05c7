//! Rules: which team or operator a conversation goes to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::pick::passed_over;
use super::roster::Roster;
use super::steps::RoutingStep;
use super::waiting::{RoutingTarget, WaitingConversation};
use crate::base::schema::ToSchema;
use crate::people::teams::{AssignmentMethod, Language};
use crate::{
    AccountId, ChannelId, Field, FieldError, LabelId, OpeningHoursId, Place, RoutingRuleId, SegmentId, Timestamp,
};

/// Most rules of a tenant.
pub const MAX_RULES: usize = 100;
/// Most characters of a rule's name.
const MAX_NAME_CHARACTERS: usize = 100;
/// Most channels of a condition, and most labels, segments and languages.
const MAX_LISTED: usize = 50;

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

/// A rule of a tenant and its place among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedRule {
    pub rule: RoutingRule,
    /// 1 for the first rule.
    pub position: i64,
    /// A rule that is not enabled applies to no conversation.
    pub enabled: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// All of them must hold. An empty list says nothing; of the others one member is enough.
// An unknown member is an error: without a misspelt condition, a rule would apply too often.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = RoutingConditions)]
pub struct RoutingConditions {
    /// The channel of the conversation.
    #[schema(value_type = Vec<ChannelId>, max_items = 50)]
    pub channels: BTreeSet<ChannelId>,
    /// Labels of the conversation.
    #[schema(value_type = Vec<LabelId>, max_items = 50)]
    pub labels: BTreeSet<LabelId>,
    /// Segments that contain the contact.
    #[schema(value_type = Vec<SegmentId>, max_items = 50)]
    pub segments: BTreeSet<SegmentId>,
    /// The contact's attribute `language`, as codes of ISO 639. A region is ignored.
    #[schema(value_type = Vec<String>, example = json!(["de", "en"]), max_items = 50)]
    pub languages: BTreeSet<Language>,
    pub hours: Option<HoursCondition>,
}

/// Inside or outside the opening hours of a schedule. A schedule that was deleted is always open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RoutingHours)]
pub struct HoursCondition {
    pub opening_hours_id: OpeningHoursId,
    /// Whether the schedule is open.
    pub is_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    #[error("expected 1 to {MAX_NAME_CHARACTERS} characters, no control characters")]
    Name,
    #[error("at most {MAX_LISTED}")]
    TooMany(&'static str),
}

impl FieldError for BadRule {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::TooMany(list) => Place::from(Field::Conditions).key(*list),
        }
    }
}

/// Checks the name and the sizes of the conditions. Returns the name without surrounding spaces.
pub fn check_rule<'n>(name: &'n str, conditions: &RoutingConditions) -> Result<&'n str, BadRule> {
    let name = name.trim();
    let fits = (1..=MAX_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    let RoutingConditions { channels, labels, segments, languages, .. } = conditions;
    let sizes = [
        ("channels", channels.len()),
        ("labels", labels.len()),
        ("segments", segments.len()),
        ("languages", languages.len()),
    ];
    match sizes.into_iter().find(|(_, size)| *size > MAX_LISTED) {
        _ if !fits => Err(BadRule::Name),
        Some((list, _)) => Err(BadRule::TooMany(list)),
        None => Ok(name),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn names_and_sizes_are_checked() {
        let none = RoutingConditions::default();
        assert_eq!(check_rule(" German ", &none), Ok("German"));
        for name in ["", " ", "a\nb", &"x".repeat(101)] {
            assert_eq!(check_rule(name, &none), Err(BadRule::Name), "{name:?}");
        }
        let labels = |many: u8| RoutingConditions {
            labels: (0..many).map(|number| Id::from_bytes([number; 12])).collect(),
            ..RoutingConditions::default()
        };
        assert_eq!(check_rule("x", &labels(50)), Ok("x"));
        let refused = check_rule("x", &labels(51)).unwrap_err();
        assert_eq!(
            (refused.place().to_string().as_str(), refused.to_string().as_str()),
            ("conditions.labels", "at most 50")
        );
        assert!(serde_json::from_str::<RoutingConditions>(r#"{"label": []}"#).is_err(), "a misspelt condition");
    }
}
