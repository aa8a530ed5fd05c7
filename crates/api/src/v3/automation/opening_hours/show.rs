//! `GET /api/ext/v3/openingHours/{id}`

use domain::OpeningHoursId;

use super::shape::OpeningHoursShape;
use crate::prelude::*;

/// Get opening hours
///
/// Shows whether the schedule is open now, and when that changes.
#[described::path(
    get,
    path = "/api/ext/v3/openingHours/{id}",
    responses((status = 200, description = "The schedule.", body = OpeningHoursShape)),
)]
pub(crate) async fn get_opening_hours(
    Gated(state, caller): Gated,
    Path((id,)): Path<(OpeningHoursId,)>,
) -> ApiResult<Json<OpeningHoursShape>> {
    Ok(Json(state.app.automation().opening_hours().find(&caller, id).await?.into()))
}
