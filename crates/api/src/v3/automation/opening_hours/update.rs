//! `PUT /api/ext/v3/openingHours/{id}`: changes a schedule.

use app::automation::opening_hours::ScheduleRequest;
use domain::OpeningHoursId;
use domain::automation::opening_hours::{Holiday, Week};

use super::shape::OpeningHoursShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct OpeningHoursChange {
    #[schema(example = "Support", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    #[schema(example = "Europe/Berlin", nullable = false)]
    time_zone: Option<String>,
    /// Replaces the periods of all weekdays.
    #[schema(nullable = false)]
    periods: Option<Week>,
    /// Replaces all holidays.
    #[schema(max_items = 400, nullable = false)]
    holidays: Option<Vec<Holiday>>,
}

/// Update opening hours
///
/// Omitted members keep their values.
#[described::path(
    put,
    path = "/api/ext/v3/openingHours/{id}",
    responses(
        (status = 200, description = "The updated schedule.", body = OpeningHoursShape),
        (status = 409, description = "Reasons: `conflict` (another schedule has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_opening_hours(
    Gated(state, caller): Gated,
    Path((id,)): Path<(OpeningHoursId,)>,
    Json(input): Json<OpeningHoursChange>,
) -> ApiResult<Json<OpeningHoursShape>> {
    let OpeningHoursChange { name, time_zone, periods, holidays } = input;
    let request = ScheduleRequest { name, time_zone, periods, holidays };
    Ok(Json(state.app.automation().opening_hours().update(&caller, id, request).await?.into()))
}
