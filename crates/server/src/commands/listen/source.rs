//! Where the events come from: the database, or the event stream of a server. After a break, both continue behind the
//! number of the last event that they have handed out.

use std::time::Duration;

use anyhow::{Context as _, bail};
use app::App;
use channels::transport::{self, Body, CallTime, HttpTransport, Timeouts, Transport as _};
use domain::delivery::events::{EventType, EventTypes};
use domain::{Place, TenantId};
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::event::SeenEvent;
use super::sse::{SseBlock, SseParser};
use crate::commands::sandbox::client::ControlError;
use crate::output;

/// Pause between two reads of the log of a database.
const POLL: Duration = Duration::from_millis(200);
/// Maximum number of events in one read of the log.
const BATCH: usize = 64;
/// A server sends something every 15 seconds; silence for longer than this is a broken connection.
const SILENCE: Duration = Duration::from_secs(45);
/// Time limit of a connection; the source then opens another.
const MAX_CONNECTION_TIME: Duration = Duration::from_hours(24);
const MAX_ERROR: usize = 64 << 10;
const STREAM: &str = "/api/ext/v3/events/stream";

#[derive(Debug)]
pub enum EventSource {
    Database(DatabaseSource),
    Server(Box<ServerSource>),
}

#[derive(Debug)]
pub struct DatabaseSource {
    app: App,
    tenant: TenantId,
    types: EventTypes,
    after: i64,
    tries: u32,
}

#[derive(Debug)]
pub struct ServerSource {
    transport: HttpTransport,
    url: String,
    token: String,
    types: EventTypes,
    after: Option<i64>,
    stream: Option<(Body, SseParser)>,
    tries: u32,
}

/// Why a stream cannot be opened.
enum NotOpened {
    /// The server refuses: another try would not help.
    Refused(anyhow::Error),
    Broken(String),
}

impl EventSource {
    pub async fn from_database(
        app: App,
        tenant: TenantId,
        types: EventTypes,
        after: Option<i64>,
    ) -> anyhow::Result<Self> {
        let me = app::Command(tenant);
        let after = match after {
            Some(after) => after,
            None => app.delivery().events().last_number(&me).await?,
        };
        // Fails for a number that the log does not have.
        app.delivery().events().pull(&me, after, types, 0).await?;
        Ok(Self::Database(DatabaseSource { app, tenant, types, after, tries: 0 }))
    }

    /// Opens the stream, so that a wrong address or token is an error at once.
    pub async fn from_server(server: &str, token: &str, types: EventTypes, after: Option<i64>) -> anyhow::Result<Self> {
        let base = domain::delivery::webhooks::check_url(server)
            .map_err(|why| app::Error::invalid(Place::named("server"), why))?;
        let mut source = ServerSource {
            transport: HttpTransport::new(Timeouts::default()).context("cannot create the HTTP client")?,
            url: format!("{}{STREAM}", base.trim_end_matches('/')),
            token: token.to_owned(),
            types,
            after,
            stream: None,
            tries: 0,
        };
        match source.open().await {
            Ok(()) => Ok(Self::Server(Box::new(source))),
            Err(NotOpened::Refused(error)) => Err(error),
            Err(NotOpened::Broken(why)) => bail!("server: {} cannot be followed: {why}", output::visible(server)),
        }
    }

    /// The events begin after the one with this number; none: a server sends those that happen from now on.
    pub fn after(&self) -> Option<i64> {
        match self {
            Self::Database(source) => Some(source.after),
            Self::Server(source) => source.after,
        }
    }

    pub fn describe(&self) -> String {
        match self {
            Self::Database(source) => format!("events of tenant {}", source.tenant),
            Self::Server(source) => format!("events from {}", output::visible(source.url.trim_end_matches(STREAM))),
        }
    }

    /// Waits for the next events. An error is final.
    pub async fn next(&mut self) -> anyhow::Result<Vec<SeenEvent>> {
        match self {
            Self::Database(source) => source.next().await,
            Self::Server(source) => source.next().await,
        }
    }
}

impl DatabaseSource {
    async fn next(&mut self) -> anyhow::Result<Vec<SeenEvent>> {
        loop {
            let page =
                self.app.delivery().events().pull(&app::Command(self.tenant), self.after, self.types, BATCH).await;
            let page = match page {
                Ok(page) => page,
                Err(app::Error::Store(error)) => {
                    pause(&error.to_string(), self.tries).await;
                    self.tries += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if std::mem::take(&mut self.tries) > 0 {
                output::print_notice("Events resumed.");
            }
            let is_end = page.after >= page.last;
            self.after = page.after;
            if !page.events.is_empty() {
                let seen = page.events.iter().map(|event| SeenEvent {
                    number: event.number,
                    id: event.id.delivery(),
                    kind: event.kind.name().to_owned(),
                    payload: event.payload().to_owned(),
                });
                return Ok(seen.collect());
            }
            if is_end {
                tokio::time::sleep(POLL).await;
            }
        }
    }
}

impl ServerSource {
    async fn next(&mut self) -> anyhow::Result<Vec<SeenEvent>> {
        loop {
            let why = match self.read().await {
                Ok(events) if events.is_empty() => continue,
                Ok(events) => return Ok(events),
                Err(why) => why,
            };
            self.stream = None;
            self.reopen(why).await?;
        }
    }

    /// Opens the stream again and again until it works or is refused.
    async fn reopen(&mut self, mut why: String) -> anyhow::Result<()> {
        loop {
            pause(&why, self.tries).await;
            self.tries += 1;
            match self.open().await {
                Ok(()) => {
                    output::print_notice("Events resumed.");
                    self.tries = 0;
                    return Ok(());
                }
                Err(NotOpened::Refused(error)) => return Err(error),
                Err(NotOpened::Broken(again)) => why = again,
            }
        }
    }

    /// The events of the next bytes, or why the stream ended.
    async fn read(&mut self) -> Result<Vec<SeenEvent>, String> {
        let Some((body, parser)) = &mut self.stream else { return Err("the server ended the stream".to_owned()) };
        let frame = match tokio::time::timeout(SILENCE, body.frame()).await {
            Err(_) => return Err(format!("nothing received for {} s", SILENCE.as_secs())),
            Ok(None) => return Err("the server ended the stream".to_owned()),
            Ok(Some(Err(error))) => return Err(error.to_string()),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(bytes) = frame.into_data() else { return Ok(Vec::new()) };
        let blocks = parser.feed(&bytes).map_err(|_| "an event is too long".to_owned())?;
        let mut events = Vec::new();
        for block in blocks {
            match block {
                SseBlock::Position(number) => self.after = Some(number),
                SseBlock::Event(event) => {
                    self.after = Some(event.number);
                    events.push(event);
                }
            }
        }
        Ok(events)
    }

    async fn open(&mut self) -> Result<(), NotOpened> {
        let mut url = self.url.clone();
        if self.types != EventTypes::all() {
            let names: Vec<&str> = self.types.iter().map(EventType::name).collect();
            url = format!("{url}?types={}", names.join(","));
        }
        let mut request = axum::http::Request::get(url)
            .header("authorization", format!("Bearer {}", self.token))
            .header("accept", "text/event-stream")
            .extension(CallTime(MAX_CONNECTION_TIME));
        if let Some(after) = self.after {
            request = request.header("last-event-id", after);
        }
        let request = request.body(transport::empty()).map_err(|error| NotOpened::Refused(error.into()))?;
        let answer = self.transport.call(request).await.map_err(|error| NotOpened::Broken(error.to_string()))?;
        let status = answer.status();
        if status.is_success() {
            self.stream = Some((answer.into_body(), SseParser::default()));
            return Ok(());
        }
        let body = transport::collect(answer.into_body(), MAX_ERROR).await.unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let message = body["message"].as_str().unwrap_or_default();
        if status.is_server_error() || status.as_u16() == 429 {
            return Err(NotOpened::Broken(format!("the server returned {status} {message}")));
        }
        let message = match status.as_u16() {
            401 => format!("the server does not accept the token: {message}"),
            403 => format!("the token may not read webhooks: {message}"),
            404 => "there is no event stream at this address".to_owned(),
            _ => format!("the server returned {status}: {message}"),
        };
        let (status, parameter) = (status.as_u16(), body["parameter"].as_str().map(str::to_owned));
        Err(NotOpened::Refused(ControlError::Refused { status, message, parameter }.into()))
    }
}

/// Prints that the source broke off, and waits 1 to 10 seconds, longer with each try.
async fn pause(why: &str, tries: u32) {
    let seconds = 2_u64.saturating_pow(tries.min(4)).min(10);
    output::print_notice(&format!("Events interrupted: {why}. Trying again in {seconds} s."));
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}
