//! `GET /api/ext/v3/automation/operators`: the operators, their presence, and what they have to do.

use super::shape::OperatorStatus;
use crate::prelude::*;

list!(OperatorStatuses { "operators": OperatorStatus });

/// Get the presence of operators
///
/// Returns the tenant's active accounts, sorted by name.
#[described::path(
    get,
    path = "/api/ext/v3/automation/operators",
    responses((status = 200, description = "The operators.", body = OperatorStatuses)),
)]
pub(crate) async fn list_operator_presences(Gated(state, caller): Gated) -> ApiResult<Json<OperatorStatuses>> {
    Ok(Json(List::from_rows(state.app.automation().operators().list(&caller).await?)))
}
