//! The wire shapes of a rule.

use app::automation::routing::RuleRequest;
use domain::automation::routing::{OrderedRule, RoutingConditions, RoutingRule, RoutingTarget};
use domain::{AssigneeId, Id, RoutingRuleId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoutingRule)]
pub(crate) struct RoutingRuleShape {
    id: RoutingRuleId,
    #[schema(example = "Orders")]
    name: String,
    /// 1 for the first rule.
    #[schema(example = 1, minimum = 1, maximum = 100)]
    position: i64,
    /// A rule that is not enabled applies to no conversation.
    enabled: bool,
    /// The rule applies if all of them hold. Without conditions, it applies to every conversation.
    conditions: RoutingConditions,
    /// Whether a returning customer goes to the operator who had the conversation before, if that operator is available
    /// and has room.
    to_former_operator: bool,
    target: RuleTarget,
    /// Whether no later rule is tried if the target is closed, away or full at the moment.
    stop: bool,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    updated: Timestamp,
}

/// Who gets the conversations of a rule.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = RoutingTarget)]
pub(crate) struct RuleTarget {
    /// `team`, `operator`, or `unassigned`: they stay unassigned until an operator takes them.
    #[schema(example = "team")]
    r#type: String,
    /// The id of the team or the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id: Option<AssigneeId>,
}

impl From<OrderedRule> for RoutingRuleShape {
    fn from(one: OrderedRule) -> Self {
        let OrderedRule { rule, position, enabled, created_at: created, updated_at: updated } = one;
        let RoutingRule { id, name, conditions, to_former_operator, target, stop } = rule;
        let target = target.into();
        Self { id, name, position, enabled, conditions, to_former_operator, target, stop, created, updated }
    }
}

impl From<RoutingTarget> for RuleTarget {
    fn from(target: RoutingTarget) -> Self {
        let (r#type, id) = match target {
            RoutingTarget::Team(id) => ("team", Some(id.into())),
            RoutingTarget::Operator(id) => ("operator", Some(id.into())),
            RoutingTarget::Unassigned => ("unassigned", None),
        };
        Self { r#type: r#type.to_owned(), id }
    }
}

impl RuleTarget {
    fn parse(&self) -> ApiResult<RoutingTarget> {
        match (self.r#type.as_str(), self.id) {
            ("team", Some(id)) => Ok(RoutingTarget::Team(Id::from_bytes(*id.bytes()))),
            ("operator", Some(id)) => Ok(RoutingTarget::Operator(Id::from_bytes(*id.bytes()))),
            ("unassigned", None) => Ok(RoutingTarget::Unassigned),
            ("unassigned", Some(_)) => Err(ApiError::invalid("target.id", "expected no id for unassigned")),
            ("team" | "operator", None) => {
                Err(ApiError::invalid("target.id", "expected the id of a team or an operator"))
            }
            _ => Err(ApiError::invalid("target.type", "expected team, operator or unassigned")),
        }
    }
}

/// A change of a rule: omitted members keep their values.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct RoutingRuleChange {
    #[schema(example = "Orders", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Moves the rule; the others keep their order.
    #[schema(example = 1, minimum = 1, maximum = 100, nullable = false)]
    position: Option<i64>,
    #[schema(nullable = false)]
    enabled: Option<bool>,
    /// Replaces all conditions.
    #[schema(nullable = false)]
    conditions: Option<RoutingConditions>,
    #[schema(nullable = false)]
    to_former_operator: Option<bool>,
    #[schema(nullable = false)]
    target: Option<RuleTarget>,
    #[schema(nullable = false)]
    stop: Option<bool>,
}

impl RoutingRuleChange {
    pub(super) fn parse(self) -> ApiResult<RuleRequest> {
        let Self { name, position, enabled, conditions, to_former_operator, target, stop } = self;
        let target = target.as_ref().map(RuleTarget::parse).transpose()?;
        Ok(RuleRequest { name, enabled, position, conditions, to_former_operator, target, stop })
    }
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewRoutingRule {
    #[schema(example = "Orders", min_length = 1, max_length = 100)]
    name: String,
    target: RuleTarget,
    /// Without it, the rule is the last one.
    #[schema(example = 1, minimum = 1, maximum = 100, nullable = false)]
    position: Option<i64>,
    #[schema(default = true, nullable = false)]
    enabled: Option<bool>,
    /// Without conditions, the rule applies to every conversation.
    #[schema(nullable = false)]
    conditions: Option<RoutingConditions>,
    #[schema(default = false, nullable = false)]
    to_former_operator: Option<bool>,
    #[schema(default = false, nullable = false)]
    stop: Option<bool>,
}

impl From<NewRoutingRule> for RoutingRuleChange {
    fn from(new: NewRoutingRule) -> Self {
        let NewRoutingRule { name, target, position, enabled, conditions, to_former_operator, stop } = new;
        Self { name: Some(name), position, enabled, conditions, to_former_operator, target: Some(target), stop }
    }
}
