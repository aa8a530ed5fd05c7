//! The members of an endpoint that a client sets, checked before anything is stored. The IP address that a host name
//! resolves to is checked again at each connection.

use channels::guard::{Guard, Refused};
use domain::delivery::events::{EventType, EventTypes};
use domain::delivery::webhooks::{Header, WebhookStatus, check_headers, check_url};
use domain::messaging::channels::Channel;
use domain::{Change, Field, Place};

use super::Endpoint;
use crate::{Error, Result};

/// Stands for the value of a header, which is never shown. A client that sends it back keeps the value as it is.
pub const KEPT_VALUE: &str = "***";

const MAX_IN_FLIGHT: i64 = 256;
const MAX_PER_SECOND: i64 = 1000;

/// The members that the client gave; absent ones keep their value, or get the default of a new endpoint.
#[derive(Debug, Clone, Default)]
pub struct WebhookRequest {
    pub url: Option<String>,
    pub types: Option<Vec<String>>,
    pub status: Option<String>,
    /// Name, number or id of a channel.
    pub channel: Change<String>,
    pub ordered: Option<bool>,
    pub headers: Option<Vec<Header>>,
    pub max_in_flight: Change<i64>,
    pub max_per_second: Change<i64>,
}

/// What the checks need.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckContext<'a> {
    pub channels: &'a [Channel],
    pub guard: &'a Guard,
}

impl WebhookRequest {
    /// Checks the members of the request and applies them to the endpoint.
    pub(super) fn apply(&self, mut endpoint: Endpoint, context: CheckContext<'_>) -> Result<Endpoint> {
        let mut has_moved = false;
        if let Some(url) = &self.url {
            let url = url_to_call(url, context.guard)?;
            let origin = |url: &str| reqwest::Url::parse(url).ok().map(|url| url.origin());
            has_moved = origin(&url) != origin(&endpoint.url);
            endpoint.url = url;
        }
        if let Some(names) = &self.types {
            endpoint.types = subscribable(names)?;
        }
        if let Some(status) = &self.status {
            endpoint.status = asked_status(status, endpoint.status)?;
        }
        match &self.channel {
            Change::Keep => {}
            Change::Clear => endpoint.channel_id = None,
            Change::Set(name) => endpoint.channel_id = Some(named_channel(name, context.channels)?.id),
        }
        endpoint.ordered = self.ordered.unwrap_or(endpoint.ordered);
        if has_moved && !endpoint.headers.is_empty() {
            self.check_headers_given_again()?;
        }
        if let Some(headers) = &self.headers {
            endpoint.headers = with_kept_values(headers, &endpoint.headers)?;
        }
        let (in_flight, per_second) = (endpoint.max_in_flight, endpoint.max_per_second);
        endpoint.max_in_flight = bounded(Field::MaxInFlight, &self.max_in_flight, in_flight, MAX_IN_FLIGHT)?;
        endpoint.max_per_second = bounded(Field::MaxPerSecond, &self.max_per_second, per_second, MAX_PER_SECOND)?;
        Ok(endpoint)
    }
}

impl WebhookRequest {
    /// The values of headers are secrets of the present origin: another one gets only what the request itself has.
    fn check_headers_given_again(&self) -> Result<()> {
        match &self.headers {
            None => {
                let message =
                    "the new URL has a different origin: send the headers and their values again, or {} for none";
                Err(Error::invalid(Field::Headers, message))
            }
            Some(given) => match given.iter().find(|header| header.value == KEPT_VALUE) {
                Some(hidden) => {
                    let message =
                        "the new URL has a different origin, which must not get the hidden value: send the value again";
                    Err(Error::invalid(header_place(&hidden.name), message))
                }
                None => Ok(()),
            },
        }
    }
}

/// Parses event types. Endpoints must be able to subscribe to all of them.
fn subscribable(names: &[String]) -> Result<EventTypes> {
    let types = named_types(Field::EventTypes, names)?;
    match types.iter().find(|one| !one.is_for_webhooks()) {
        Some(other) => {
            let message = format!("{other} is not available to webhooks; read it with GET /api/ext/v3/events");
            Err(Error::invalid(Field::EventTypes, message))
        }
        None => Ok(types),
    }
}

/// Parses event types. An empty list is an error.
pub fn named_types(field: Field, names: &[String]) -> Result<EventTypes> {
    if names.is_empty() {
        return Err(Error::invalid(field, "is empty; GET /api/ext/v3/webhooks/event-types lists the event types"));
    }
    let found = names
        .iter()
        .enumerate()
        .map(|(i, name)| EventType::named(name).map_err(|error| Error::invalid(field.at(i), error)));
    found.collect()
}

fn url_to_call(text: &str, guard: &Guard) -> Result<String> {
    let url = check_url(text).map_err(|why| Error::invalid(Field::Url, why))?;
    guard.check_url(&url).map_err(refused_url)?;
    Ok(url)
}

/// Refuses an http:// URL whose host is not in an allowed private range. Resolves the host name, so it runs before the
/// transaction.
pub(super) async fn check_host(request: &WebhookRequest, guard: &Guard) -> Result<()> {
    let Some(url) = request.url.as_deref().and_then(|text| check_url(text).ok()) else { return Ok(()) };
    match guard.check_host(&url).await {
        // Any other problem is refused with the other members of the request.
        Err(Refused::Scheme) => Err(refused_url(Refused::Scheme)),
        _ => Ok(()),
    }
}

fn refused_url(refused: Refused) -> Error {
    let setting = "the server's setting webhooks.allow_private lists the private ranges that are allowed";
    match refused {
        Refused::Scheme => {
            Error::invalid(Field::Url, format!("must be https:// outside allowed private ranges; {setting}"))
        }
        Refused::Address => Error::invalid(Field::Url, format!("the address is not public; {setting}")),
        other => Error::invalid(Field::Url, other),
    }
}

/// Parses the status that a client sets. A client may send back the status that it read, even `Defective`.
fn asked_status(text: &str, present: WebhookStatus) -> Result<WebhookStatus> {
    match text.parse() {
        Ok(asked) if asked == present || asked != WebhookStatus::Defective => Ok(asked),
        _ => Err(Error::invalid(Field::Status, "expected Enabled or Disabled")),
    }
}

fn named_channel<'a>(name: &str, channels: &'a [Channel]) -> Result<&'a Channel> {
    let missing = || Error::NoChannel { place: Field::Channel.into(), name: name.chars().take(100).collect() };
    channels.iter().find(|one| one.matches(name)).ok_or_else(missing)
}

fn header_place(name: &str) -> Place {
    Place::from(Field::Headers).key(name)
}

fn with_kept_values(asked: &[Header], present: &[Header]) -> Result<Vec<Header>> {
    check_headers(asked).map_err(|(name, why)| Error::invalid(header_place(&name), why))?;
    let kept = |header: &Header| {
        let known = present.iter().find(|one| one.name.eq_ignore_ascii_case(&header.name));
        match known {
            _ if header.value != KEPT_VALUE => Ok(header.clone()),
            Some(known) => Ok(Header { name: header.name.clone(), value: known.value.clone() }),
            None => Err(Error::invalid(
                header_place(&header.name),
                "*** keeps the existing value, but there is none; set one",
            )),
        }
    };
    asked.iter().map(kept).collect()
}

fn bounded(field: Field, asked: &Change<i64>, present: Option<i64>, most: i64) -> Result<Option<i64>> {
    match asked {
        Change::Keep => Ok(present),
        Change::Clear => Ok(None),
        Change::Set(number) if (1..=most).contains(number) => Ok(Some(*number)),
        Change::Set(_) => Err(Error::invalid(field, format!("expected a whole number from 1 to {most}"))),
    }
}
