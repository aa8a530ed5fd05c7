//! One attempt: a signed POST, and what its answer says. Follows no redirect, reads no more of an answer than it keeps.

use std::time::Duration;

use channels::transport::{self, Body, CallTime, Transport, TransportError};
use domain::events::Event;
use domain::webhooks::signature;
use domain::{DeliveryId, Timestamp};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Request, Response, StatusCode};
use tokio::time::Instant;

use super::Endpoint;

/// An endpoint has so long to answer.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(15);
/// Once its status is known, the rest of an answer is waited for so long, up to so many bytes.
const REST_WITHIN: Duration = Duration::from_secs(2);
const MOST_BYTES: usize = 64 << 10;
const EXCERPT_CHARS: usize = 500;
/// Nobody is left alone longer because it asks for it.
const LONGEST_REST: Duration = Duration::from_hours(24);

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub at: Timestamp,
    pub latency: Duration,
    pub status: Option<u16>,
    pub excerpt: Option<String>,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Delivered,
    /// Why not, and how long the endpoint wants to be left alone.
    Failed {
        error: String,
        rest: Option<Duration>,
    },
    /// The endpoint says that it is no more.
    Gone,
}

impl Outcome {
    /// Until when the endpoint wants to be left alone.
    pub fn rests_until(&self) -> Option<Timestamp> {
        match &self.verdict {
            Verdict::Failed { rest: Some(rest), .. } => {
                Some(self.at.plus_seconds(i64::try_from(rest.as_secs()).unwrap_or(0)))
            }
            _ => None,
        }
    }
}

/// What is posted.
#[derive(Debug)]
pub(super) struct Letter<'a> {
    pub id: DeliveryId,
    pub payload: &'a str,
}

impl<'a> From<&'a Event> for Letter<'a> {
    fn from(event: &'a Event) -> Self {
        Self { id: event.id.delivery(), payload: event.payload() }
    }
}

pub(super) async fn post(
    transport: &dyn Transport,
    endpoint: &Endpoint,
    letter: Letter<'_>,
    now: Timestamp,
) -> Outcome {
    let began = Instant::now();
    let answer = match request(endpoint, &letter, now) {
        Ok(request) => transport.call(request).await.map_err(|error| told(&error)),
        Err(error) => Err(error),
    };
    let (status, excerpt, verdict) = match answer {
        Ok(answer) => judged(answer, now).await,
        Err(error) => (None, None, Verdict::Failed { error, rest: None }),
    };
    Outcome { at: now, latency: began.elapsed(), status, excerpt, verdict }
}

fn request(endpoint: &Endpoint, letter: &Letter<'_>, now: Timestamp) -> Result<Request<Body>, String> {
    let mut request = Request::post(&endpoint.url)
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", letter.id.to_string())
        .header("webhook-timestamp", now.seconds())
        .header("webhook-signature", signature(endpoint.secrets(now), letter.id, now, letter.payload))
        .extension(CallTime(ANSWER_WITHIN));
    for header in &endpoint.headers {
        request = request.header(&header.name, &header.value);
    }
    request.body(transport::full(letter.payload.to_owned())).map_err(|error| format!("not a request: {error}"))
}

/// Long chains of causes say nothing more after a while.
fn told(error: &TransportError) -> String {
    clean(&error.to_string()).unwrap_or_default()
}

async fn judged(answer: Response<Body>, now: Timestamp) -> (Option<u16>, Option<String>, Verdict) {
    let status = answer.status();
    let rest = rest(answer.headers(), now);
    let excerpt = excerpt(answer.into_body()).await;
    let verdict = match status {
        _ if status.is_success() => Verdict::Delivered,
        StatusCode::GONE => Verdict::Gone,
        _ if status.is_redirection() => {
            Verdict::Failed { error: format!("answered {}: redirects are not followed", status.as_u16()), rest }
        }
        _ => Verdict::Failed { error: format!("answered {}", status.as_u16()), rest },
    };
    (Some(status.as_u16()), excerpt, verdict)
}

/// `Retry-After`, in seconds or as a date.
fn rest(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => u64::try_from(http_date(text)?.seconds_since(now)).unwrap_or(0),
    };
    Some(Duration::from_secs(seconds).min(LONGEST_REST))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text).ok()?;
    let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    Some(Timestamp::from_seconds(i64::try_from(seconds).ok()?))
}

/// The beginning of an answer. One that is endless or breaks off is worth what has come of it.
async fn excerpt(body: Body) -> Option<String> {
    let bytes = transport::beginning(body, MOST_BYTES, REST_WITHIN).await;
    clean(&String::from_utf8_lossy(&bytes))
}

/// As it can be stored and shown.
fn clean(text: &str) -> Option<String> {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().take(EXCERPT_CHARS).map(visible).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_is_understood_in_seconds_and_as_a_date() {
        let now = Timestamp::from_seconds(784_111_747);
        let asked = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            rest(&headers, now).map(|rest| rest.as_secs())
        };
        assert_eq!(asked("120"), Some(120));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), Some(30));
        assert_eq!(asked("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(asked("99999999999"), Some(LONGEST_REST.as_secs()));
        assert_eq!((asked("soon"), asked("-1")), (None, None));
    }

    #[test]
    fn what_is_kept_of_an_answer_can_be_stored_and_shown() {
        assert_eq!(clean("ok\r\n\0<b>"), Some("ok   <b>".to_owned()));
        assert_eq!(clean(" \n "), None);
        assert_eq!(clean(&"ü".repeat(900)).unwrap().chars().count(), EXCERPT_CHARS);
    }
}
