//! `GET /api/ext/v3/events/stream`: the event log as server-sent events.
//!
//! The stream reads a batch from the log, writes it, and reads on only when the client has taken it, so a slow client
//! costs no memory. Between batches it waits for the log to move, sends a comment every 15 seconds, and checks the
//! credential every two seconds: a revoked credential ends the stream.
//!
//! Each event's number is its `id`. A client that reconnects with `Last-Event-ID` continues there, so neither a crash
//! nor a restart of the server loses events.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use app::delivery::events::EventPage;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use domain::delivery::events::{Event, EventTypes};
use futures_util::stream::unfold;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::types;
use crate::edge::memory::StreamedBytes;
use crate::gate::PresentedCredential;
use crate::prelude::*;
use crate::v3::permissions::READ_WEBHOOKS;

const LAST_EVENT_ID: &str = "Last-Event-ID";
/// How often a comment is sent while there are no events, so that proxies and clients see that the connection is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often the credential is checked. A revoked one ends the stream within this time.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// The most events that are read at a time.
const BATCH: usize = 64;
/// The most bytes of payloads that are sent at a time; a single larger event is sent alone.
const PAGE_BYTES: usize = 64 << 10;

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
/// While nothing happens, a comment is sent every 15 seconds. The stream ends when the server stops or the credential
/// is revoked.
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
    // Subscribe before reading, so that events numbered in between are not missed.
    let head = state.app.delivery().events().follow(caller.tenant());
    let after = match (last_seen(&headers)?, asked.after) {
        (Some(seen), _) => seen,
        (None, Some(after)) => after,
        (None, None) => state.app.delivery().events().last_number(&caller).await?,
    };
    // Errors must be answered before the stream begins, while there is still a status.
    state.app.delivery().events().pull(&caller, after, types, 0).await?;
    let now = Instant::now();
    let reader = EventStream {
        stop: state.stop.clone(),
        state,
        caller,
        credential,
        types,
        after,
        last_sent_id: after,
        head,
        checked_at: now,
        written_at: now,
    };
    let body = Body::from_stream(unfold(reader, EventStream::next));
    let head = [
        (header::CONTENT_TYPE.as_str(), "text/event-stream"),
        (header::CACHE_CONTROL.as_str(), "no-store"),
        // Some proxies buffer answers without this header.
        ("x-accel-buffering", "no"),
    ];
    let mut response = (head, body).into_response();
    response.extensions_mut().insert(StreamedBytes(2 * PAGE_BYTES));
    Ok(response)
}

fn last_seen(headers: &HeaderMap) -> ApiResult<Option<i64>> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let text = value.to_str().unwrap_or("-").trim();
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number >= 0);
    number.map(Some).ok_or_else(|| ApiError::invalid(LAST_EVENT_ID, "expected the number of an event"))
}

/// One open stream: the client's position in the log, and what is needed to read on.
struct EventStream {
    state: ApiState,
    caller: Caller,
    credential: PresentedCredential,
    types: EventTypes,
    /// The number up to which all events were examined.
    after: i64,
    /// The last `id` that was sent to the client, or the number at which the stream began.
    last_sent_id: i64,
    head: watch::Receiver<i64>,
    stop: CancellationToken,
    checked_at: Instant,
    written_at: Instant,
}

impl EventStream {
    /// Returns the next chunk of the answer; None ends the stream.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if self.stop.is_cancelled() || !self.is_still_authorized().await {
                return None;
            }
            let mut page = self.read_page().await?;
            page.cut_to(PAGE_BYTES);
            self.after = page.after;
            if !page.events.is_empty() {
                let files = self.state.app.file_address(self.caller.tenant());
                return Some(self.send(sse_text(&page.events, &files), page.events.last().map(|event| event.number)));
            }
            if page.after >= page.last && self.wait().await? == WaitEnd::KeepAlive {
                let (after, has_moved) = (self.after, self.after > self.last_sent_id);
                let text =
                    if has_moved { format!("id: {after}\n: still here\n\n") } else { ": still here\n\n".to_owned() };
                return Some(self.send(text, has_moved.then_some(after)));
            }
        }
    }

    fn send(mut self, text: String, last_sent_id: Option<i64>) -> (Result<Bytes, Infallible>, Self) {
        self.written_at = Instant::now();
        self.last_sent_id = last_sent_id.unwrap_or(self.last_sent_id);
        (Ok(Bytes::from(text)), self)
    }

    async fn is_still_authorized(&mut self) -> bool {
        if self.checked_at.elapsed() < CHECK_EVERY {
            return true;
        }
        self.checked_at = Instant::now();
        self.credential.still_authorized(&self.state.app, &READ_WEBHOOKS, self.caller.tenant()).await
    }

    /// Reads the next events. None ends the stream after an error; the client gets the reason when it reconnects.
    async fn read_page(&self) -> Option<EventPage> {
        match self.state.app.delivery().events().pull(&self.caller, self.after, self.types, BATCH).await {
            Ok(page) => Some(page),
            Err(app::Error::Store(error)) => {
                tracing::warn!(%error, "an event stream ends: the log cannot be read");
                None
            }
            Err(_) => None,
        }
    }

    /// Waits until the log moves, a check is due, or a comment is due. None when the stream must end.
    async fn wait(&mut self) -> Option<WaitEnd> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            moved = self.head.changed() => moved.ok().map(|()| WaitEnd::Recheck),
            () = sleep_until(self.written_at + KEEP_ALIVE) => Some(WaitEnd::KeepAlive),
            () = sleep_until(self.checked_at + CHECK_EVERY) => Some(WaitEnd::Recheck),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitEnd {
    Recheck,
    KeepAlive,
}

fn sse_text(events: &[Event], file_address: &str) -> String {
    let bytes: usize = events.iter().map(|event| event.payload().len() + 64).sum();
    let mut out = String::with_capacity(bytes);
    for event in events {
        let _ = write!(out, "id: {}\nwebhook-id: {}\nevent: {}\n", event.number, event.id, event.kind);
        for line in event.payload_at(file_address).lines() {
            let _ = writeln!(out, "data: {line}");
        }
        out.push('\n');
    }
    out
}
