//! `GET /api/ext/v3/teams`: all teams of the tenant.

use super::shape::TeamShape;
use crate::prelude::*;

list!(Teams { "teams": TeamShape });

/// Get teams
///
/// Returns all teams, oldest first, without their members.
#[described::path(
    get,
    path = "/api/ext/v3/teams",
    responses((status = 200, description = "All teams.", body = Teams)),
)]
pub(crate) async fn list_teams(Gated(state, caller): Gated) -> ApiResult<Json<Teams>> {
    let teams = state.app.people().teams().list(&caller).await?;
    Ok(Json(List::from_rows(teams)))
}
