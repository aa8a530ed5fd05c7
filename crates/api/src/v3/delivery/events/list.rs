//! `GET /api/ext/v3/events`: a page of the event log.

use std::fmt::Write as _;

use app::delivery::events::EventPage;
use axum::http::header;
use domain::delivery::events::Event;

use super::types;
use crate::prelude::*;

const DEFAULT_LIMIT: i32 = 100;
const MAX_LIMIT: i32 = 1000;

members! {
    pub(crate) query ListEventsQuery from Query {
        /// The `after` from the previous page. If omitted, the page begins with the oldest stored event.
        #[param(minimum = 0, example = 4711)]
        after: Option<i64> = number["after"](0, i64::MAX),
        /// Only these types, separated by commas. The parameter can also be repeated.
        #[param(value_type = Option<String>, example = "message,call.status")]
        types: Vec<String> = list["types"](),
        #[param(minimum = 1, maximum = 1000, default = 100, example = 100)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
    }
}

/// A page of the event log.
// The response is written by hand, because payloads are already JSON text; this struct only describes it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Events)]
pub(crate) struct EventsAnswer {
    events: Vec<EventShape>,
    /// All events up to this number were examined. Pass it as `after` to get the next page.
    #[schema(example = 4712)]
    after: i64,
    /// The number of the last event in the log.
    #[schema(example = 4720)]
    last: i64,
    #[schema(example = true)]
    has_more: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventShape {
    /// Increases by one with each of the tenant's events, without gaps.
    #[schema(example = 4712)]
    number: i64,
    /// The event's id, which webhooks receive as `webhook-id`.
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: String,
    #[schema(example = "call.status")]
    r#type: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    created: String,
    /// The body that webhooks receive.
    #[schema(value_type = Object)]
    payload: serde_json::Value,
}

/// Get events
///
/// Returns the same events, ids and payloads that webhooks receive, sorted by number. Numbers have no gaps: a client
/// that requests all types and sees each number once has missed nothing. With `types`, start each page at the `after`
/// of the previous one. Events are kept for `events.keep_days` days (a server setting). If events after `after` are no
/// longer stored, the request fails instead of returning an empty page.
#[described::path(
    get,
    path = "/api/ext/v3/events",
    params(ListEventsQuery),
    responses(
        (status = 200, description = "One page of events.", body = EventsAnswer),
        (
            status = 400,
            description = "Reasons: `invalid_parameter`, `malformed_request`, `events_dropped`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn list_events(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ListEventsQuery>,
) -> ApiResult<Response> {
    let events = state.app.delivery().events();
    let limit = asked.limit.unwrap_or(DEFAULT_LIMIT);
    let types = types(&asked.types)?;
    let after = match asked.after {
        Some(after) => after,
        None => events.kept_after(&caller).await?,
    };
    let page = events.pull(&caller, after, types, usize::try_from(limit).unwrap_or(0)).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], page_json(&page, &state.app.file_address(caller.tenant())))
        .into_response())
}

/// Writes the page as JSON text. Ids, names and times need no escaping, and payloads are JSON already.
fn page_json(page: &EventPage, file_address: &str) -> String {
    let bytes: usize = page.events.iter().map(|event| event.payload().len() + 128).sum();
    let mut out = String::with_capacity(bytes + 64);
    out.push_str("{\"events\":[");
    for (i, event) in page.events.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_event(&mut out, event, file_address);
    }
    let (after, last) = (page.after, page.last);
    let _ = write!(out, "],\"after\":{after},\"last\":{last},\"has_more\":{}}}", after < last);
    out
}

fn write_event(out: &mut String, event: &Event, file_address: &str) {
    let _ =
        write!(out, "{{\"number\":{},\"id\":\"{}\",\"type\":\"{}\",\"created\":\"", event.number, event.id, event.kind);
    event.at().write_rfc3339(out);
    out.push_str("\",\"payload\":");
    out.push_str(&event.payload_at(file_address));
    out.push('}');
}
