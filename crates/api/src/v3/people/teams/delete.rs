//! `DELETE /api/ext/v3/teams/{id}`

use domain::TeamId;

use crate::answer::deleted::{Deleted, DeletedTeam};
use crate::prelude::*;

/// Delete a team
///
/// Removes the team from all contacts. Conversations that are assigned to it stay so until they are assigned again.
#[described::path(
    delete,
    path = "/api/ext/v3/teams/{id}",
    responses((status = 200, description = "The team was deleted.", body = DeletedTeam)),
)]
pub(crate) async fn delete_team(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TeamId,)>,
) -> ApiResult<Json<DeletedTeam>> {
    state.app.people().teams().remove(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
