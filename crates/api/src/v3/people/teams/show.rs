//! `GET /api/ext/v3/teams/{id}`

use domain::TeamId;

use super::shape::TeamDetails;
use crate::prelude::*;

/// Get a team
#[described::path(
    get,
    path = "/api/ext/v3/teams/{id}",
    responses((status = 200, description = "The team with its members.", body = TeamDetails)),
)]
pub(crate) async fn get_team(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TeamId,)>,
) -> ApiResult<Json<TeamDetails>> {
    Ok(Json(state.app.people().teams().find(&caller, id).await?.into()))
}
