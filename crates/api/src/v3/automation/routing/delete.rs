//! `DELETE /api/ext/v3/automation/routing/rules/{id}`

use domain::RoutingRuleId;

use crate::answer::deleted::{Deleted, DeletedRoutingRule};
use crate::prelude::*;

/// Delete a routing rule
///
/// The remaining rules are applied again to the conversations that wait. Assigned conversations stay so.
#[described::path(
    delete,
    path = "/api/ext/v3/automation/routing/rules/{id}",
    responses((status = 200, description = "The rule was deleted.", body = DeletedRoutingRule)),
)]
pub(crate) async fn delete_routing_rule(
    Gated(state, caller): Gated,
    Path((id,)): Path<(RoutingRuleId,)>,
) -> ApiResult<Json<DeletedRoutingRule>> {
    state.app.automation().routing().remove(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
