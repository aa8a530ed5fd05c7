//! `GET /api/ext/v3/calls`: the call log, newest first.

use domain::CallId;
use domain::calls::CallFilter;
use domain::calls::{CallDirection, CallView};

use super::{FilterMembers, filter};
use crate::list_body::ListBody;
use crate::prelude::*;

const DEFAULT_LIMIT: i32 = 20;
const MAX_LIMIT: i32 = 100;
/// The calls of a contact are read from the first one on.
const MAX_OFFSET_OF_CONTACT: i32 = 1000;
/// The usual length of a call's JSON text, for sizing the answer.
const USUAL_CALL_BYTES: usize = 720;

members! {
    pub(crate) query ListCallsQuery from Query {
        /// Maximum number of calls to return.
        #[param(minimum = 1, maximum = 100, default = 20, example = 20)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
        /// Number of calls to skip. Also accepted: `skip`.
        #[param(minimum = 0, default = 0, example = 0)]
        offset: Option<i32> = number["offset", "skip"](0, i32::MAX),
        /// Only calls of this direction.
        direction: Option<CallDirection> = one_of["direction"]("expected inbound or outbound"),
        /// The operator who handled the call: an exact id, or an e-mail address in any letter case. Also accepted:
        /// `operator_id`, `operator_email`.
        #[param(example = "grace@example.com")]
        operator: Option<String> = text["operator", "operator_id", "operator_email"](),
        /// Only calls of this contact: phone number, BSUID or contact id. Not together with `operator` or
        /// `include_total`. Also accepted: `contact`, `contact_id`.
        #[param(example = "14155552671")]
        target: Option<String> = text["target", "contact", "contact_id"](),
        /// The shortest duration in seconds, inclusive. Also accepted: `minDuration`.
        #[param(minimum = 0)]
        min_duration: Option<i32> = number["min_duration", "minDuration"](0, i32::MAX),
        /// The longest duration in seconds, inclusive. Also accepted: `maxDuration`.
        #[param(minimum = 0)]
        max_duration: Option<i32> = number["max_duration", "maxDuration"](0, i32::MAX),
        /// The start of the range: RFC 3339, in UTC if it names no zone; a date means its first instant. Also accepted:
        /// `date_from`, `startDate`.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        start_date: Option<Moment> = moment["start_date", "date_from", "startDate"](),
        /// The end of the range, inclusive; a date includes the whole day. Also accepted: `date_to`, `endDate`.
        #[param(value_type = Option<String>, example = "2026-04-30T12:00:00Z")]
        end_date: Option<Moment> = moment["end_date", "date_to", "endDate"](),
        /// `next_cursor` of the previous page; not together with `offset`.
        cursor: Option<String> = text["cursor"](),
        /// Adds `total`, the number of calls that match the filters.
        #[param(default = false)]
        include_total: Option<bool> = optional_flag["include_total"](),
    }
}

pub(crate) type CallPage<'a> = Page<CallView<'a>, CallPosition>;

rows!(CallView<'_>: "calls" in CallPage, "One page of the call log.");

/// The position in a list with offsets and cursors.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallPosition {
    #[schema(example = 20, minimum = 1, maximum = 100)]
    limit: i32,
    #[schema(example = 0, minimum = 0)]
    offset: i32,
    has_more: bool,
    /// For the parameter `cursor` of the next call; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
    /// The number of calls that match the filters; present when `include_total` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    total: Option<i64>,
}

/// Get call logs
///
/// Newest first, by start and then id. Dates filter by the start of the call. An empty value counts as absent; an
/// unknown parameter is refused.
#[described::path(
    get,
    path = "/api/ext/v3/calls",
    params(ListCallsQuery),
    responses(
        (status = 200, description = "One page of calls.", body = CallPage),
        (status = 404, description = "There is no such contact. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_calls(Gated(state, caller): Gated, query: Query) -> ApiResult<Response> {
    refuse_unknown(&query)?;
    let asked = ListCallsQuery::parse(&query)?;
    let (limit, offset) = (asked.limit.unwrap_or(DEFAULT_LIMIT), asked.offset.unwrap_or(0));
    let filter = page_filter(&state, &caller, &asked)?;
    let mut body = ListBody::new(usize::try_from(limit).unwrap_or(0), USUAL_CALL_BYTES);
    let with_total = asked.include_total.unwrap_or_default();
    let mut show = |call: &str| body.push_json(call);
    let end = match &asked.target {
        Some(target) => state.app.calls().list_of_contact(&caller, target, filter, &mut show).await?,
        None => state.app.calls().list(&caller, filter, with_total, &mut show).await?,
    };
    let position =
        CallPosition { limit, offset, has_more: end.has_more, next_cursor: end.next_cursor, total: end.total };
    Ok(body.into_response(&CallPage::around_rows(position)))
}

fn refuse_unknown(query: &Query) -> ApiResult<()> {
    let known = ListCallsQuery::SPELLINGS;
    let unknown = query.names().find(|name| !known.iter().any(|spellings| spellings.contains(name)));
    match unknown {
        Some(name) => {
            let names: Vec<_> = known.iter().filter_map(|spellings| spellings.first()).copied().collect();
            Err(ApiError::invalid(name, format!("there is no such parameter; known are {}", names.join(", "))))
        }
        None => Ok(()),
    }
}

fn page_filter(state: &ApiState, caller: &Caller, asked: &ListCallsQuery) -> ApiResult<CallFilter> {
    if asked.target.is_some() {
        for (member, is_there) in
            [("operator", asked.operator.is_some()), ("include_total", asked.include_total == Some(true))]
        {
            if is_there {
                return Err(ApiError::invalid(member, "does not go together with target"));
            }
        }
        if asked.offset.is_some_and(|offset| offset > MAX_OFFSET_OF_CONTACT) {
            let message = format!("at most {MAX_OFFSET_OF_CONTACT} together with target; use cursor");
            return Err(ApiError::invalid("offset", message));
        }
    }
    let filter = filter(&FilterMembers {
        direction: asked.direction,
        operator: asked.operator.as_deref(),
        durations: (asked.min_duration, asked.max_duration),
        dates: (asked.start_date, asked.end_date),
    })?;
    Ok(CallFilter {
        after: cursor(state, caller, asked)?,
        offset: asked.offset.unwrap_or(0).into(),
        limit: asked.limit.unwrap_or(DEFAULT_LIMIT).into(),
        ..filter
    })
}

fn cursor(state: &ApiState, caller: &Caller, asked: &ListCallsQuery) -> ApiResult<Option<(Timestamp, CallId)>> {
    let Some(text) = &asked.cursor else { return Ok(None) };
    if asked.offset.is_some() {
        return Err(ApiError::invalid("cursor", "does not go together with offset"));
    }
    let position = state.app.calls().position(caller, text);
    position.map(Some).ok_or_else(|| ApiError::invalid("cursor", "is not a next_cursor of this list"))
}
