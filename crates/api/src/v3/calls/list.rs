//! `GET /api/ext/v3/calls`: the call log, newest first.

use axum::extract::State;
use axum::response::Response;
use domain::calls::Direction;
use domain::time::Moment;
use domain::{CallId, Timestamp};
use store::calls::{Filter, OperatorRef};

use super::json;
use super::schema::{DirectionSchema, PageSchema};
use crate::ApiState;
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::Query;

const LIMIT: &[&str] = &["limit"];
const OFFSET: &[&str] = &["offset", "skip"];
const DIRECTION: &[&str] = &["direction"];
const OPERATOR: &[&str] = &["operator", "operator_id", "operator_email"];
const MIN_DURATION: &[&str] = &["min_duration", "minDuration"];
const MAX_DURATION: &[&str] = &["max_duration", "maxDuration"];
const START_DATE: &[&str] = &["start_date", "date_from", "startDate"];
const END_DATE: &[&str] = &["end_date", "date_to", "endDate"];
const CURSOR: &[&str] = &["cursor"];
const INCLUDE_TOTAL: &[&str] = &["include_total"];
const KNOWN: &[&[&str]] =
    &[LIMIT, OFFSET, DIRECTION, OPERATOR, MIN_DURATION, MAX_DURATION, START_DATE, END_DATE, CURSOR, INCLUDE_TOTAL];

const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;
/// A call of the JSON text, for sizing the answer.
const USUAL_CALL_BYTES: usize = 720;

/// The parameters, for the document: what is read is read strictly, name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Maximum number of calls to return.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    limit: Option<i32>,
    /// Number of calls to skip. Also accepted: `skip`.
    #[param(minimum = 0, default = 0, example = 0, nullable = false)]
    offset: Option<i32>,
    /// Only calls of this direction.
    #[param(nullable = false)]
    direction: Option<DirectionSchema>,
    /// The operator who handled the call: an id exactly, or an e-mail address in any letter case. Also accepted:
    /// `operator_id`, `operator_email`.
    #[param(example = "grace@example.com", nullable = false)]
    operator: Option<String>,
    /// Seconds, inclusive. Also accepted: `minDuration`.
    #[param(minimum = 0, nullable = false)]
    min_duration: Option<i32>,
    /// Seconds, inclusive. Also accepted: `maxDuration`.
    #[param(minimum = 0, nullable = false)]
    max_duration: Option<i32>,
    /// RFC 3339; without a zone it is UTC; a date alone is its first instant. Also accepted: `date_from`,
    /// `startDate`.
    #[param(example = "2026-04-01", nullable = false)]
    start_date: Option<String>,
    /// The same, inclusive; a date alone covers that whole day. Also accepted: `date_to`, `endDate`.
    #[param(example = "2026-04-30T12:00:00Z", nullable = false)]
    end_date: Option<String>,
    /// `next_cursor` of the page before; not together with `offset`.
    #[param(nullable = false)]
    cursor: Option<String>,
    /// Adds `total`, which counts all calls that the filters allow.
    #[param(default = false, nullable = false)]
    include_total: Option<bool>,
}

/// Get call logs
///
/// Newest first, by start and then id. Dates filter on the start of the call. An empty value counts as absent; an
/// unknown parameter is refused.
#[utoipa::path(
    get,
    path = "/api/ext/v3/calls",
    tag = "calls",
    params(Parameters),
    responses((status = 200, description = "One page of calls.", body = PageSchema)),
)]
pub(crate) async fn list_calls(State(state): State<ApiState>, caller: Caller, query: Query) -> ApiResult<Response> {
    refuse_unknown(&query)?;
    let filter = filter(&state, &caller, &query)?;
    let with_total = query.flag(INCLUDE_TOTAL)?;
    let (limit, offset) = (filter.limit, filter.offset);
    let capacity = usize::try_from(limit).unwrap_or(0) * USUAL_CALL_BYTES;
    let mut body = String::with_capacity(capacity + 128);
    body.push_str("{\"calls\":[");
    let mut first = true;
    let show = |call: &str| {
        if !std::mem::take(&mut first) {
            body.push(',');
        }
        body.push_str(call);
    };
    let end = state.app.calls().list(&caller, filter, with_total, show).await?;
    close(&mut body, limit, offset, &end);
    Ok(json(body))
}

/// What stands behind the calls. Numbers, a flag and base64url need no escaping.
fn close(body: &mut String, limit: i64, offset: i64, end: &app::calls::PageEnd) {
    use std::fmt::Write as _;
    let _ = write!(body, "],\"limit\":{limit},\"offset\":{offset},\"has_more\":{}", end.has_more);
    if let Some(cursor) = &end.next_cursor {
        let _ = write!(body, ",\"next_cursor\":\"{cursor}\"");
    }
    if let Some(total) = end.total {
        let _ = write!(body, ",\"total\":{total}");
    }
    body.push('}');
}

fn refuse_unknown(query: &Query) -> ApiResult<()> {
    let unknown = query.names().find(|name| !KNOWN.iter().any(|spellings| spellings.contains(name)));
    match unknown {
        Some(name) => {
            let names: Vec<_> = KNOWN.iter().filter_map(|spellings| spellings.first()).copied().collect();
            Err(ApiError::invalid(name, format!("there is no such parameter; known are {}", names.join(", "))))
        }
        None => Ok(()),
    }
}

fn filter(state: &ApiState, caller: &Caller, query: &Query) -> ApiResult<Filter> {
    let min_duration = query.number(MIN_DURATION, 0, i64::from(i32::MAX))?;
    let max_duration = query.number(MAX_DURATION, 0, i64::from(i32::MAX))?;
    if min_duration.zip(max_duration).is_some_and(|(min, max)| min > max) {
        return Err(ApiError::invalid(MIN_DURATION[0], "is greater than max_duration"));
    }
    let from = query.moment(START_DATE)?.map(Moment::first);
    let to = query.moment(END_DATE)?.map(Moment::last);
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid(START_DATE[0], "is after end_date"));
    }
    let after = cursor(state, caller, query)?;
    Ok(Filter {
        direction: direction(query)?,
        operator: operator(query)?,
        min_duration,
        max_duration,
        from,
        to,
        after,
        offset: query.number(OFFSET, 0, i64::from(i32::MAX))?.unwrap_or(0),
        limit: query.number(LIMIT, 1, MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
    })
}

fn direction(query: &Query) -> ApiResult<Option<Direction>> {
    let Some(text) = query.take(DIRECTION)? else { return Ok(None) };
    text.parse().map(Some).map_err(|()| ApiError::invalid(DIRECTION[0], "expected inbound or outbound"))
}

fn operator(query: &Query) -> ApiResult<Option<OperatorRef>> {
    let who = query.take(OPERATOR)?;
    Ok(who.map(|who| who.parse().map_or_else(|_| OperatorRef::Email(who.to_lowercase()), OperatorRef::Id)))
}

fn cursor(state: &ApiState, caller: &Caller, query: &Query) -> ApiResult<Option<(Timestamp, CallId)>> {
    let Some(text) = query.take(CURSOR)? else { return Ok(None) };
    if query.take(OFFSET)?.is_some() {
        return Err(ApiError::invalid(CURSOR[0], "does not go together with offset"));
    }
    let position = state.app.calls().position(caller, text);
    position.map(Some).ok_or_else(|| ApiError::invalid(CURSOR[0], "is not a next_cursor of this list"))
}
