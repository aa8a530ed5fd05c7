//! `GET /console/api/call-log`: the call log by outcome, so that the numbers on the call page lead to their calls.
//! `GET /calls` has no such filter, because the wire contract lists its parameters.

use domain::calls::{CallDirection, CallFilter, CallOutcome};

use crate::console::guard::SignedIn;
use crate::prelude::*;
use crate::shared::calls::{CallPage, FilterMembers, MAX_LIMIT, PageMembers, call_filter, call_page};

members! {
    pub(crate) query ListCallLogQuery from Query {
        /// Only calls with this outcome. Answered calls are completed or in progress.
        #[param(inline)]
        outcome: Option<CallOutcome> = one_of["outcome"]("expected answered, missed or failed"),
        /// Maximum number of calls to return.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
        /// Number of calls to skip.
        #[param(minimum = 0, default = 0, example = 0)]
        offset: Option<i32> = number["offset"](0, i32::MAX),
        /// The `next_cursor` from the previous page. Cannot be combined with `offset`.
        cursor: Option<String> = text["cursor"](),
        /// Adds `total`, the number of calls that match the filters.
        #[param(default = false)]
        include_total: bool = flag["include_total"](),
        /// Only calls in this direction.
        direction: Option<CallDirection> = one_of["direction"]("expected inbound or outbound"),
        /// The operator who handled the call: an exact id, or an e-mail address (case-insensitive).
        #[param(example = "grace@example.com")]
        operator: Option<String> = text["operator"](),
        /// Minimum duration in seconds, inclusive.
        #[param(minimum = 0)]
        min_duration: Option<i32> = number["min_duration"](0, i32::MAX),
        /// Maximum duration in seconds, inclusive.
        #[param(minimum = 0)]
        max_duration: Option<i32> = number["max_duration"](0, i32::MAX),
        /// Start of the range, in RFC 3339 format. UTC is assumed if no offset is given; a date alone means the start
        /// of that day.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        start_date: Option<Moment> = moment["start_date"](),
        /// End of the range, inclusive. A date alone includes the whole day.
        #[param(value_type = Option<String>, example = "2026-04-30T12:00:00Z")]
        end_date: Option<Moment> = moment["end_date"](),
    }
}

/// List the call log
///
/// Returns calls sorted by start and then id, newest first, with the present names of their contacts.
#[described::path(
    get,
    path = "/console/api/call-log",
    params(ListCallLogQuery),
    responses((status = 200, description = "One page of calls.", body = CallPage)),
)]
pub(crate) async fn list_call_log(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromQuery(asked): FromQuery<ListCallLogQuery>,
) -> ApiResult<Response> {
    let filter = call_filter(&FilterMembers {
        direction: asked.direction,
        operator: asked.operator.as_deref(),
        durations: (asked.min_duration, asked.max_duration),
        dates: (asked.start_date, asked.end_date),
    })?;
    let page = PageMembers {
        limit: asked.limit,
        offset: asked.offset,
        cursor: asked.cursor.as_deref(),
        with_total: asked.include_total,
        with_people: true,
    };
    let filter = CallFilter { outcome: asked.outcome, ..filter };
    call_page(&state, &signed_in.principal, None, filter, &page).await
}
