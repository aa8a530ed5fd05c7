//! `POST /api/ext/v3/openingHours/{id}/holidays`: imports holidays from an iCalendar file.

use app::automation::opening_hours::{HolidayImport, ImportedHolidays};
use domain::OpeningHoursId;
use domain::automation::opening_hours::{Holiday, SkippedEvent};

use super::shape::OpeningHoursShape;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct CalendarImport {
    /// The text of the file, at most 2 000 events.
    #[schema(
        example = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\nRRULE:FREQ=YEARLY\nEND:VEVENT\nEND:VCALENDAR\n"
    )]
    calendar: String,
    /// Only days of these years are imported.
    #[schema(example = json!([2026, 2027]), min_items = 1, max_items = 10)]
    years: Vec<i16>,
    /// Shows the result without storing it.
    #[serde(default)]
    #[schema(default = false)]
    dry_run: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CalendarImported {
    /// The holidays that were added, or with `dry_run` would be.
    added: Vec<Holiday>,
    /// The events that added no holiday.
    skipped: Vec<SkippedEventShape>,
    /// The schedule with the holidays.
    opening_hours: OpeningHoursShape,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SkippedEvent)]
struct SkippedEventShape {
    /// The line of the file on which the event begins, counted from 1.
    #[schema(example = 7, minimum = 1)]
    line: usize,
    /// Empty if the event has none.
    #[schema(example = "Office party")]
    summary: String,
    #[schema(example = "it begins at a time of day; only events that last whole days are imported")]
    reason: String,
}

impl From<SkippedEvent> for SkippedEventShape {
    fn from(skipped: SkippedEvent) -> Self {
        Self { line: skipped.line, summary: skipped.summary, reason: skipped.reason.to_string() }
    }
}

impl From<ImportedHolidays> for CalendarImported {
    fn from(imported: ImportedHolidays) -> Self {
        Self {
            added: imported.added,
            skipped: imported.skipped.into_iter().map(SkippedEventShape::from).collect(),
            opening_hours: imported.view.into(),
        }
    }
}

/// Import holidays from a calendar
///
/// Events of an iCalendar file (RFC 5545) that last whole days become holidays on which the schedule is closed. Events
/// that repeat every year are added for each of the years. Days that have a holiday keep it, so importing the same file
/// again adds nothing.
#[described::path(
    post,
    path = "/api/ext/v3/openingHours/{id}/holidays",
    responses((status = 200, description = "The result.", body = CalendarImported)),
)]
pub(crate) async fn import_holidays(
    Gated(state, caller): Gated,
    Path((id,)): Path<(OpeningHoursId,)>,
    Json(input): Json<CalendarImport>,
) -> ApiResult<Json<CalendarImported>> {
    let CalendarImport { calendar, years, dry_run } = input;
    let import = HolidayImport { calendar, years, dry_run };
    let imported = state.app.automation().opening_hours().import_holidays(&caller, id, import).await?;
    Ok(Json(imported.into()))
}
