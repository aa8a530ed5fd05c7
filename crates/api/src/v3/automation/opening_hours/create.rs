//! `POST /api/ext/v3/openingHours`: creates a schedule.

use app::automation::opening_hours::ScheduleRequest;
use domain::automation::opening_hours::{Holiday, Week};

use super::shape::OpeningHoursShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewOpeningHours {
    /// Must be unique, ignoring case.
    #[schema(example = "Support", min_length = 1, max_length = 100)]
    name: String,
    /// The IANA name of the time zone in which the periods are given.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Without them, the schedule is open only on holidays that have periods.
    #[schema(nullable = false)]
    periods: Option<Week>,
    #[schema(max_items = 400, nullable = false)]
    holidays: Option<Vec<Holiday>>,
}

/// Create opening hours
///
/// A tenant can have at most 50 schedules; creating another returns `429` with the reason `limit_reached`.
#[described::path(
    post,
    path = "/api/ext/v3/openingHours",
    responses(
        (status = 200, description = "The schedule.", body = OpeningHoursShape),
        (status = 409, description = "Reasons: `conflict` (another schedule has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_opening_hours(
    Gated(state, caller): Gated,
    Json(input): Json<NewOpeningHours>,
) -> ApiResult<Json<OpeningHoursShape>> {
    let NewOpeningHours { name, time_zone, periods, holidays } = input;
    let request = ScheduleRequest { name: Some(name), time_zone: Some(time_zone), periods, holidays };
    Ok(Json(state.app.automation().opening_hours().create(&caller, request).await?.into()))
}
