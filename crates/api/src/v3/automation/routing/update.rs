//! `PUT /api/ext/v3/automation/routing/rules/{id}`: changes or moves a rule.

use domain::RoutingRuleId;

use super::shape::{RoutingRuleChange, RoutingRuleShape};
use crate::prelude::*;

/// Update a routing rule
///
/// Omitted members keep their values. The rules are applied again to the conversations that wait.
#[described::path(
    put,
    path = "/api/ext/v3/automation/routing/rules/{id}",
    responses((status = 200, description = "The updated rule.", body = RoutingRuleShape)),
)]
pub(crate) async fn update_routing_rule(
    Gated(state, caller): Gated,
    Path((id,)): Path<(RoutingRuleId,)>,
    Json(input): Json<RoutingRuleChange>,
) -> ApiResult<Json<RoutingRuleShape>> {
    Ok(Json(state.app.automation().routing().update(&caller, id, input.parse()?).await?.into()))
}
