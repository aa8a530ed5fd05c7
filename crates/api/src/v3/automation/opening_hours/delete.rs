//! `DELETE /api/ext/v3/openingHours/{id}`

use domain::OpeningHoursId;

use crate::answer::deleted::{Deleted, DeletedOpeningHours};
use crate::prelude::*;

/// Delete opening hours
#[described::path(
    delete,
    path = "/api/ext/v3/openingHours/{id}",
    responses((status = 200, description = "The schedule was deleted.", body = DeletedOpeningHours)),
)]
pub(crate) async fn delete_opening_hours(
    Gated(state, caller): Gated,
    Path((id,)): Path<(OpeningHoursId,)>,
) -> ApiResult<Json<DeletedOpeningHours>> {
    state.app.automation().opening_hours().remove(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
