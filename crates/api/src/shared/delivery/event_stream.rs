//! The event log as server-sent events.
//!
//! A stream reads a batch from the log, writes it, and reads on only when the client has taken it, so a slow client
//! costs no memory. Between batches it waits for the log to move, sends a comment every 15 seconds, and checks the
//! credential every two seconds: a revoked credential, or one whose role has lost the permission, ends the stream.
//!
//! A task of its own reads, in the turns of the tenant. The connection only passes on what is read: a search through a
//! long log for rare types would hold its thread otherwise, and a client that does not read could keep a turn.
//!
//! Each event's number is its `id`. A client that reconnects with `Last-Event-ID` continues there, so neither a crash
//! nor a restart of the server loses events.
//!
//! A stream of the console also has signals (`crates/app/src/base/signals.rs`). They are in no log and have no `id`.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::pending;
use std::time::Duration;

use app::base::signals::{Signal, SignalFeed};
use app::delivery::events::EventPage;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use domain::delivery::events::{Event, EventTypes};
use domain::identity::permission::Permission;
use futures_util::stream::unfold;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::edge::memory::{AnswerOf, StreamedBytes};
use crate::gate::PresentedCredential;
use crate::prelude::*;

const LAST_EVENT_ID: &str = "Last-Event-ID";
/// How often a comment is sent while there are no events, so that proxies and clients see that the connection is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often the credential is checked. A revoked one ends the stream within this time.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// The most events that are read at a time.
const BATCH: usize = 64;
/// The most bytes of payloads that are sent at a time; a single larger event is sent alone.
const PAGE_BYTES: usize = 64 << 10;

/// Who follows the log, and what of it.
#[derive(Debug)]
pub(crate) struct StreamRequest {
    pub caller: Caller,
    pub credential: PresentedCredential,
    /// What the credential must still allow while the stream is open.
    pub permission: Permission,
    pub types: EventTypes,
    /// Starts after this number; None starts with new events.
    pub after: Option<i64>,
    /// Signals between the events; None for a stream of events only.
    pub signals: Option<SignalFeed>,
}

/// Opens a stream. A stream that starts with new events first names its start, so that a client which loses the
/// connection before the first event can resume there.
pub(crate) async fn open_stream(state: ApiState, request: StreamRequest) -> ApiResult<Response> {
    let StreamRequest { caller, credential, permission, types, after, signals } = request;
    // Subscribe before reading, so that events numbered in between are not missed.
    let head = state.app.delivery().events().follow(caller.tenant());
    let (after, opening) = if let Some(after) = after {
        (after, None)
    } else {
        let last = state.app.delivery().events().last_number(&caller).await?;
        (last, Some(format!("id: {last}\n\n")))
    };
    // Errors must be answered before the stream begins, while there is still a status.
    state.app.delivery().events().pull(&caller, after, types, 0).await?;
    let (now, tenant) = (Instant::now(), caller.tenant());
    let reader = EventStream {
        stop: state.stop.clone(),
        state,
        caller,
        credential,
        permission,
        types,
        opening,
        after,
        last_sent_id: after,
        head,
        signals,
        checked_at: now,
        written_at: now,
    };
    let (send, receive) = mpsc::channel(1);
    tokio::spawn(app::for_tenant(tenant, reader.run(send)));
    let body = Body::from_stream(unfold(receive, async |mut receive| {
        let text: String = receive.recv().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), receive))
    }));
    let head = [
        (header::CONTENT_TYPE.as_str(), "text/event-stream"),
        (header::CACHE_CONTROL.as_str(), "no-store"),
        // Some proxies buffer answers without this header.
        ("x-accel-buffering", "no"),
    ];
    let mut response = (head, body).into_response();
    response.extensions_mut().insert(StreamedBytes(2 * PAGE_BYTES));
    response.extensions_mut().insert(AnswerOf(tenant));
    Ok(response)
}

/// The number in the header `Last-Event-ID`.
pub(crate) fn last_seen(headers: &HeaderMap) -> ApiResult<Option<i64>> {
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
    permission: Permission,
    types: EventTypes,
    /// What is sent before the first event.
    opening: Option<String>,
    /// The number up to which all events were examined.
    after: i64,
    /// The last `id` that was sent to the client, or the number at which the stream began.
    last_sent_id: i64,
    head: watch::Receiver<i64>,
    signals: Option<SignalFeed>,
    stop: CancellationToken,
    checked_at: Instant,
    written_at: Instant,
}

impl EventStream {
    /// Sends chunks until the stream or the connection ends. A chunk is read only once the one before is taken.
    async fn run(mut self, chunks: mpsc::Sender<String>) {
        while let Ok(place) = chunks.reserve().await {
            let next = tokio::select! {
                biased;
                () = chunks.closed() => return,
                next = self.next() => next,
            };
            let Some(text) = next else { return };
            self.written_at = Instant::now();
            place.send(text);
        }
    }

    /// Returns the next chunk of the answer; None ends the stream.
    async fn next(&mut self) -> Option<String> {
        if let Some(text) = self.opening.take() {
            return Some(text);
        }
        loop {
            if self.stop.is_cancelled() || !self.is_still_authorized().await {
                return None;
            }
            let mut page = self.read_page().await?;
            page.cut_to(PAGE_BYTES);
            self.after = page.after;
            if let Some(last) = page.events.last() {
                self.last_sent_id = last.number;
                return Some(sse_text(&page.events, &self.state.app.file_address(self.caller.tenant())));
            }
            if page.after < page.last {
                tokio::task::yield_now().await;
                continue;
            }
            match self.wait().await? {
                WaitEnd::Recheck => {}
                WaitEnd::Signal(Signal { kind, data, .. }) => return Some(format!("event: {kind}\ndata: {data}\n\n")),
                WaitEnd::KeepAlive => return Some(self.keep_alive()),
            }
        }
    }

    /// A comment, with the number up to which all events were examined if that has moved.
    fn keep_alive(&mut self) -> String {
        if self.after <= self.last_sent_id {
            return ": still here\n\n".to_owned();
        }
        self.last_sent_id = self.after;
        format!("id: {}\n: still here\n\n", self.after)
    }

    async fn is_still_authorized(&mut self) -> bool {
        if self.checked_at.elapsed() < CHECK_EVERY {
            return true;
        }
        self.checked_at = Instant::now();
        self.credential.still_authorized(&self.state.app, &self.permission, self.caller.tenant()).await
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

    /// Waits until the log moves, a signal arrives, a check is due, or a comment is due. None when the stream must end.
    async fn wait(&mut self) -> Option<WaitEnd> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            moved = self.head.changed() => moved.ok().map(|()| WaitEnd::Recheck),
            signal = next_signal(&mut self.signals) => Some(WaitEnd::Signal(signal)),
            () = sleep_until(self.written_at + KEEP_ALIVE) => Some(WaitEnd::KeepAlive),
            () = sleep_until(self.checked_at + CHECK_EVERY) => Some(WaitEnd::Recheck),
        }
    }
}

#[derive(Debug)]
enum WaitEnd {
    Recheck,
    Signal(Signal),
    KeepAlive,
}

async fn next_signal(feed: &mut Option<SignalFeed>) -> Signal {
    match feed {
        Some(feed) => feed.next().await,
        None => pending().await,
    }
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
