//! `GET /api/ext/v3/calls/counts`: calls per day in a time zone.

use app::calls::CallDay;
use domain::base::zone::Zone;
use domain::calls::CallDirection;

use crate::prelude::*;
use crate::shared::calls::{FilterMembers, call_filter};

members! {
    pub(crate) query CountCallsQuery from Query {
        /// How to group the counts. Only `day` is supported.
        #[param(default = "day", example = "day")]
        by: Option<String> = text["by"](),
        /// The IANA name of the time zone that determines the days.
        #[param(default = "UTC", example = "Europe/Berlin")]
        time_zone: Option<String> = text["time_zone", "timeZone"](),
        /// Only calls in this direction.
        direction: Option<CallDirection> = one_of["direction"]("expected inbound or outbound"),
        /// The operator who handled the call: an exact id, or an e-mail address (case-insensitive).
        #[param(example = "grace@example.com")]
        operator: Option<String> = text["operator", "operator_id", "operator_email"](),
        /// Minimum duration in seconds, inclusive.
        #[param(minimum = 0)]
        min_duration: Option<i32> = number["min_duration", "minDuration"](0, i32::MAX),
        /// Maximum duration in seconds, inclusive.
        #[param(minimum = 0)]
        max_duration: Option<i32> = number["max_duration", "maxDuration"](0, i32::MAX),
        /// Start of the range, in RFC 3339 format. UTC is assumed if no offset is given; a date alone means the start
        /// of that day in UTC. If omitted, the 366 days up to the newest call are counted.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        start_date: Option<Moment> = moment["start_date", "date_from", "startDate"](),
        /// End of the range, inclusive. A date alone includes the whole day in UTC.
        #[param(value_type = Option<String>, example = "2026-04-30T12:00:00Z")]
        end_date: Option<Moment> = moment["end_date", "date_to", "endDate"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CallDay)]
pub(crate) struct CallDayShape {
    /// The day, in the requested time zone.
    #[schema(format = "date", example = "2026-04-24")]
    day: String,
    #[schema(example = 9)]
    inbound: i64,
    #[schema(example = 3)]
    outbound: i64,
    /// Calls that are completed or in progress.
    #[schema(example = 8)]
    answered: i64,
    #[schema(example = 3)]
    missed: i64,
    #[schema(example = 1)]
    failed: i64,
    /// The total duration of completed calls, in seconds.
    #[schema(example = 1480)]
    duration_seconds: i64,
    #[schema(example = 8)]
    completed: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallCounts {
    /// Every day from the first counted call to the last, including days without calls.
    days: Vec<CallDayShape>,
    /// The total over all days.
    #[schema(example = 12)]
    total: i64,
}

impl From<CallDay> for CallDayShape {
    fn from(one: CallDay) -> Self {
        let count = one.count;
        Self {
            day: one.day.to_string(),
            inbound: count.inbound,
            outbound: count.calls - count.inbound,
            answered: count.completed + count.in_progress,
            missed: count.missed,
            failed: count.failed,
            duration_seconds: count.duration_seconds,
            completed: count.completed,
        }
    }
}

/// Count calls
///
/// Returns counts by day. Accepts the same filters as `GET /calls`, except `target`. The range can cover at most 366
/// days; wider ranges are rejected.
#[described::path(
    get,
    path = "/api/ext/v3/calls/counts",
    params(CountCallsQuery),
    responses((status = 200, description = "The counts.", body = CallCounts)),
)]
pub(crate) async fn count_calls(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<CountCallsQuery>,
) -> ApiResult<Json<CallCounts>> {
    if asked.by.as_deref().is_some_and(|by| by != "day") {
        return Err(ApiError::invalid("by", "expected day"));
    }
    let zone = match &asked.time_zone {
        Some(name) => Zone::named(name).map_err(|error| ApiError::invalid("time_zone", error))?,
        None => Zone::utc(),
    };
    let filter = call_filter(&FilterMembers {
        direction: asked.direction,
        operator: asked.operator.as_deref(),
        durations: (asked.min_duration, asked.max_duration),
        dates: (asked.start_date, asked.end_date),
    })?;
    let days = state.app.calls().counts(&caller, &zone, &filter).await?;
    let total = days.iter().map(|one| one.count.calls).sum();
    Ok(Json(CallCounts { days: days.into_iter().map(CallDayShape::from).collect(), total }))
}
