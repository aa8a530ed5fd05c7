//! `GET /api/ext/v3/events/stream`: the event log as server-sent events.

use axum::http::HeaderMap;

use super::types;
use crate::gate::PresentedCredential;
use crate::prelude::*;
use crate::shared::delivery::event_stream::{StreamRequest, last_seen, open_stream};
use crate::v3::permissions::READ_WEBHOOKS;

members! {
    pub(crate) query StreamEventsQuery from Query {
        /// Start after this number. Without this and without `Last-Event-ID`, the stream starts with new events.
        #[param(minimum = 0, example = 4711)]
        after: Option<i64> = number["after"](0, i64::MAX),
        /// Only these types, separated by commas. The parameter can also be repeated.
        #[param(value_type = Option<String>, example = "message,call.status")]
        types: Vec<String> = list["types"](),
    }
}

/// Stream events
///
/// Returns server-sent events: `id` is the event's number, `event` its type, and `data` its payload. `webhook-id` is
/// the event's id, as webhooks receive it; clients that do not know this field ignore it. A client that reconnects with
/// `Last-Event-ID` (browsers do so automatically) continues after that event; the header takes precedence over `after`.
/// Without either, the first `id` is the number after which the stream starts. While nothing happens, a comment is sent
/// every 15 seconds. The stream ends when the server stops or the credential is revoked.
#[described::path(
    get,
    path = "/api/ext/v3/events/stream",
    params(
        StreamEventsQuery,
        (
            "Last-Event-ID" = Option<i64>,
            Header,
            nullable = false,
            description = "The number of the last event the client received.",
            example = 4711
        ),
    ),
    responses(
        (
            status = 200,
            description = "The event stream. It stays open.",
            content_type = "text/event-stream",
            body = String,
            example = "id: 4712\nwebhook-id: 69eb4e9a1f0c2d3e4a5b6c7d\nevent: call.status\ndata: {\"eventType\":\"call.status\"}\n\n"
        ),
        (
            status = 400,
            description = "Reasons: `invalid_parameter`, `malformed_request`, `events_dropped`.",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn stream_events(
    Gated(state, caller): Gated,
    credential: PresentedCredential,
    headers: HeaderMap,
    FromQuery(asked): FromQuery<StreamEventsQuery>,
) -> ApiResult<Response> {
    let types = types(&asked.types)?;
    let after = last_seen(&headers)?.or(asked.after);
    let request = StreamRequest { caller, credential, permission: READ_WEBHOOKS, types, after, signals: None };
    open_stream(state, request).await
}
