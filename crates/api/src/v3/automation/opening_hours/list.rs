//! `GET /api/ext/v3/openingHours`: all schedules of the tenant.

use super::shape::OpeningHoursShape;
use crate::prelude::*;

list!(OpeningHoursList { "opening_hours": OpeningHoursShape });

/// Get all opening hours
///
/// Returns all schedules, oldest first.
#[described::path(
    get,
    path = "/api/ext/v3/openingHours",
    responses((status = 200, description = "All schedules.", body = OpeningHoursList)),
)]
pub(crate) async fn list_opening_hours(Gated(state, caller): Gated) -> ApiResult<Json<OpeningHoursList>> {
    let all = state.app.automation().opening_hours().list(&caller).await?;
    Ok(Json(List::from_rows(all)))
}
