//! `GET /api/ext/v3/automation/routing/rules`: all rules of the tenant.

use super::shape::RoutingRuleShape;
use crate::prelude::*;

list!(RoutingRules { "rules": RoutingRuleShape });

/// Get routing rules
///
/// Returns all rules, in their order.
#[described::path(
    get,
    path = "/api/ext/v3/automation/routing/rules",
    responses((status = 200, description = "All rules.", body = RoutingRules)),
)]
pub(crate) async fn list_routing_rules(Gated(state, caller): Gated) -> ApiResult<Json<RoutingRules>> {
    Ok(Json(List::from_rows(state.app.automation().routing().list(&caller).await?)))
}
