//! `GET /api/ext/v3/automation/routing/rules/{id}`

use domain::RoutingRuleId;

use super::shape::RoutingRuleShape;
use crate::prelude::*;

/// Get a routing rule
#[described::path(
    get,
    path = "/api/ext/v3/automation/routing/rules/{id}",
    responses((status = 200, description = "The rule.", body = RoutingRuleShape)),
)]
pub(crate) async fn get_routing_rule(
    Gated(state, caller): Gated,
    Path((id,)): Path<(RoutingRuleId,)>,
) -> ApiResult<Json<RoutingRuleShape>> {
    Ok(Json(state.app.automation().routing().find(&caller, id).await?.into()))
}
