//! `GET /api/ext/v3/calls`: the call log, newest first.

use domain::calls::CallDirection;

use crate::prelude::*;
use crate::shared::calls::{CallPage, FilterMembers, MAX_LIMIT, PageMembers, call_filter, call_page};

/// The calls of a contact are read from the first one on.
const MAX_OFFSET_OF_CONTACT: i32 = 1000;

members! {
    pub(crate) query ListCallsQuery from Query {
        /// Maximum number of calls to return.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
        /// Number of calls to skip. Alias: `skip`.
        #[param(minimum = 0, default = 0, example = 0)]
        offset: Option<i32> = number["offset", "skip"](0, i32::MAX),
        /// Only calls in this direction.
        direction: Option<CallDirection> = one_of["direction"]("expected inbound or outbound"),
        /// The operator who handled the call: an exact id, or an e-mail address (case-insensitive). Aliases:
        /// `operator_id`, `operator_email`.
        #[param(example = "grace@example.com")]
        operator: Option<String> = text["operator", "operator_id", "operator_email"](),
        /// Only calls with this contact: phone number, BSUID or contact id. Cannot be combined with `operator` or
        /// `include_total`. Aliases: `contact`, `contact_id`.
        #[param(example = "14155552671")]
        target: Option<String> = text["target", "contact", "contact_id"](),
        /// Minimum duration in seconds, inclusive. Alias: `minDuration`.
        #[param(minimum = 0)]
        min_duration: Option<i32> = number["min_duration", "minDuration"](0, i32::MAX),
        /// Maximum duration in seconds, inclusive. Alias: `maxDuration`.
        #[param(minimum = 0)]
        max_duration: Option<i32> = number["max_duration", "maxDuration"](0, i32::MAX),
        /// Start of the range, in RFC 3339 format. UTC is assumed if no offset is given; a date alone means the start
        /// of that day. Aliases: `date_from`, `startDate`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        start_date: Option<Moment> = moment["start_date", "date_from", "startDate"](),
        /// End of the range, inclusive. A date alone includes the whole day. Aliases: `date_to`, `endDate`.
        #[param(value_type = Option<String>, example = "2026-04-30T12:00:00Z")]
        end_date: Option<Moment> = moment["end_date", "date_to", "endDate"](),
        /// The `next_cursor` from the previous page. Cannot be combined with `offset`.
        cursor: Option<String> = text["cursor"](),
        /// Adds `total`, the number of calls that match the filters.
        #[param(default = false)]
        include_total: Option<bool> = optional_flag["include_total"](),
        /// Adds the members described with "With `details`".
        #[param(default = false)]
        details: Option<bool> = optional_flag["details"](),
    }
}

/// Get call logs
///
/// Returns calls sorted by start and then id, newest first. Date filters apply to the start of the call. Empty
/// parameters are ignored; unknown parameters are rejected.
#[described::path(
    get,
    path = "/api/ext/v3/calls",
    params(ListCallsQuery),
    responses(
        (status = 200, description = "One page of calls.", body = CallPage),
        (status = 404, description = "The contact does not exist. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_calls(Gated(state, caller): Gated, query: Query) -> ApiResult<Response> {
    refuse_unknown(&query)?;
    let asked = ListCallsQuery::parse(&query)?;
    check_target(&asked)?;
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
        with_total: asked.include_total.unwrap_or_default(),
        with_people: asked.details.unwrap_or_default(),
    };
    call_page(&state, &caller, asked.target.as_deref(), filter, &page).await
}

fn refuse_unknown(query: &Query) -> ApiResult<()> {
    let known = ListCallsQuery::SPELLINGS;
    let unknown = query.names().find(|name| !known.iter().any(|spellings| spellings.contains(name)));
    match unknown {
        Some(name) => {
            let names: Vec<_> = known.iter().filter_map(|spellings| spellings.first()).copied().collect();
            Err(ApiError::invalid(name, format!("unknown parameter; expected one of {}", names.join(", "))))
        }
        None => Ok(()),
    }
}

/// Refuses what cannot be combined with a contact.
fn check_target(asked: &ListCallsQuery) -> ApiResult<()> {
    if asked.target.is_none() {
        return Ok(());
    }
    for (member, is_there) in
        [("operator", asked.operator.is_some()), ("include_total", asked.include_total == Some(true))]
    {
        if is_there {
            return Err(ApiError::invalid(member, "cannot be combined with target"));
        }
    }
    if asked.offset.is_some_and(|offset| offset > MAX_OFFSET_OF_CONTACT) {
        let message = format!("at most {MAX_OFFSET_OF_CONTACT} with target; use cursor instead");
        return Err(ApiError::invalid("offset", message));
    }
    Ok(())
}
