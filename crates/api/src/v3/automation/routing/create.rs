//! `POST /api/ext/v3/automation/routing/rules`: creates a rule.

use super::shape::{NewRoutingRule, RoutingRuleChange, RoutingRuleShape};
use crate::prelude::*;

/// Create a routing rule
///
/// The first rule that applies to a conversation decides which team or operator gets it. If its target is closed, away
/// or full at the moment and the rule does not `stop`, a later rule that applies and can place the conversation decides.
/// The rules are also applied again to the conversations that wait. A tenant can have at most 100 rules; creating
/// another returns `429` with the reason `limit_reached`.
#[described::path(
    post,
    path = "/api/ext/v3/automation/routing/rules",
    responses((status = 200, description = "The rule.", body = RoutingRuleShape)),
)]
pub(crate) async fn create_routing_rule(
    Gated(state, caller): Gated,
    Json(input): Json<NewRoutingRule>,
) -> ApiResult<Json<RoutingRuleShape>> {
    let request = RoutingRuleChange::from(input).parse()?;
    Ok(Json(state.app.automation().routing().create(&caller, request).await?.into()))
}
