//! One attempt: a signed POST as Standard Webhooks describes it, and what its answer means: any 2xx is delivered, 410
//! means that the endpoint is gone, everything else is a failure. Follows no redirect. Reads at most `MAX_BODY_BYTES`
//! of an answer and keeps `EXCERPT_CHARS` characters.

use std::borrow::Cow;
use std::time::Duration;

use channels::transport::{self, Body, CallTime, FailureKind, Transport, TransportError};
use domain::delivery::events::Event;
use domain::delivery::webhooks::{AttemptErrorCode, AttemptTrace, Header, Secret, signature};
use domain::{Clock, DeliveryId, Timestamp};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Request, Response, StatusCode};
use tokio::time::Instant;

/// Time-out of an attempt until the status of the answer is known.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(15);
/// Time-out of the body of an answer, once its status is known. A longer body is cut off after `MAX_BODY_BYTES`.
const BODY_WITHIN: Duration = Duration::from_secs(2);
const MAX_BODY_BYTES: usize = 64 << 10;
const EXCERPT_CHARS: usize = 500;
/// Bytes in which as many characters fit.
const EXCERPT_BYTES: usize = 4 * EXCERPT_CHARS;
/// A longer `Retry-After` is shortened to this.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttemptOutcome {
    /// The start of the attempt.
    pub at: Timestamp,
    /// The end of the attempt, from which pauses are counted.
    pub ended_at: Timestamp,
    pub latency: Duration,
    pub status: Option<u16>,
    pub excerpt: Option<String>,
    pub verdict: Verdict,
    pub trace: AttemptTrace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Delivered,
    /// The attempt failed. `retry_after` is the pause that the endpoint demands.
    Failed {
        code: AttemptErrorCode,
        error: String,
        retry_after: Option<Duration>,
    },
    /// The endpoint answered 410: it does not exist any more.
    Gone,
}

impl Verdict {
    const fn error_code(&self) -> Option<AttemptErrorCode> {
        match self {
            Self::Delivered => None,
            Self::Failed { code, .. } => Some(*code),
            Self::Gone => Some(AttemptErrorCode::Gone),
        }
    }
}

impl AttemptOutcome {
    /// The end of the pause that the endpoint demands.
    pub fn paused_until(&self) -> Option<Timestamp> {
        match &self.verdict {
            Verdict::Failed { retry_after: Some(pause), .. } => {
                Some(self.ended_at.plus_seconds(i64::try_from(pause.as_secs()).unwrap_or(0)))
            }
            _ => None,
        }
    }
}

/// The id and payload of a request.
#[derive(Debug)]
pub(super) struct DeliveryBody<'a> {
    pub id: DeliveryId,
    pub payload: Cow<'a, str>,
}

impl<'a> DeliveryBody<'a> {
    /// `file_address` is the beginning of the addresses of the tenant's files.
    pub fn new(event: &'a Event, file_address: &str) -> Self {
        Self { id: event.id.delivery(), payload: event.payload_at(file_address) }
    }
}

/// Where a request goes, and the secrets that sign it.
#[derive(Debug)]
pub(super) struct PostTarget<'a> {
    pub url: &'a str,
    pub headers: &'a [Header],
    pub secrets: Vec<&'a Secret>,
}

pub(super) async fn post(
    transport: &dyn Transport,
    target: &PostTarget<'_>,
    body: DeliveryBody<'_>,
    clock: &Clock,
) -> AttemptOutcome {
    let now = clock.now();
    let began = Instant::now();
    let mut trace = AttemptTrace {
        signature: signature(target.secrets.iter().copied(), body.id, now, &body.payload),
        user_agent: transport::USER_AGENT.to_owned(),
        custom: target.headers.iter().map(|header| header.name.clone()).collect(),
        ..AttemptTrace::default()
    };
    let answer = match request(target, &body, &trace.signature, now) {
        Ok(request) => transport.call(request).await.map_err(|error| (error_code(error.kind()), error_text(&error))),
        Err(error) => Err((AttemptErrorCode::Other, error)),
    };
    let (status, excerpt, verdict) = match answer {
        Ok(answer) => {
            trace.keep_response(answer.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes())));
            read_answer(answer, now).await
        }
        Err((code, error)) => (None, None, Verdict::Failed { code, error, retry_after: None }),
    };
    trace.error_code = verdict.error_code();
    let ended_at = clock.now();
    AttemptOutcome { at: now, ended_at, latency: began.elapsed(), status, excerpt, verdict, trace }
}

fn request(
    target: &PostTarget<'_>,
    body: &DeliveryBody<'_>,
    signature: &str,
    now: Timestamp,
) -> Result<Request<Body>, String> {
    let mut request = Request::post(target.url)
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", body.id.to_string())
        .header("webhook-timestamp", now.seconds())
        .header("webhook-signature", signature)
        .extension(CallTime(ANSWER_WITHIN));
    for header in target.headers {
        request = request.header(&header.name, &header.value);
    }
    request.body(transport::full(body.payload.to_string())).map_err(|error| format!("not a request: {error}"))
}

const fn error_code(kind: FailureKind) -> AttemptErrorCode {
    match kind {
        FailureKind::TimedOut => AttemptErrorCode::Timeout,
        FailureKind::NotResolved => AttemptErrorCode::NotResolved,
        FailureKind::Refused => AttemptErrorCode::Refused,
        FailureKind::Unreachable => AttemptErrorCode::Unreachable,
        FailureKind::Handshake => AttemptErrorCode::Tls,
        FailureKind::NotConnected | FailureKind::Overloaded => AttemptErrorCode::NotConnected,
        FailureKind::Closed => AttemptErrorCode::Closed,
        FailureKind::NotHttp => AttemptErrorCode::NotHttp,
        FailureKind::NotAllowed => AttemptErrorCode::NotAllowed,
        FailureKind::Other => AttemptErrorCode::Other,
    }
}

/// What failed, for the tenant. The details are for the installation's log.
fn error_text(error: &TransportError) -> String {
    tracing::debug!(%error, "a webhook was not delivered");
    clean(&error.summary()).unwrap_or_default()
}

async fn read_answer(answer: Response<Body>, now: Timestamp) -> (Option<u16>, Option<String>, Verdict) {
    let status = answer.status();
    let retry_after = retry_after(answer.headers(), now);
    let excerpt = excerpt(answer.into_body()).await;
    let verdict = match status {
        _ if status.is_success() => Verdict::Delivered,
        StatusCode::GONE => Verdict::Gone,
        _ if status.is_redirection() => {
            let error = format!("answered {}: redirects are not followed", status.as_u16());
            Verdict::Failed { code: AttemptErrorCode::Redirect, error, retry_after }
        }
        _ => {
            let error = format!("answered {}", status.as_u16());
            Verdict::Failed { code: AttemptErrorCode::Status, error, retry_after }
        }
    };
    (Some(status.as_u16()), excerpt, verdict)
}

/// The pause that `Retry-After` demands, in seconds or as a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => u64::try_from(http_date(text)?.seconds_since(now)).unwrap_or(0),
    };
    Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
}

/// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text).ok()?;
    let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    Some(Timestamp::from_seconds(i64::try_from(seconds).ok()?))
}

/// The beginning of an answer's body; if it is endless or breaks off, the part that arrived in time.
async fn excerpt(body: Body) -> Option<String> {
    let bytes = transport::collect_prefix(body, EXCERPT_BYTES, MAX_BODY_BYTES, BODY_WITHIN).await;
    clean(&String::from_utf8_lossy(&bytes))
}

/// The first `EXCERPT_CHARS` characters, with spaces for control characters, so that the text can be stored and shown;
/// none when nothing visible is left.
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
    fn retry_after_is_read_in_seconds_and_as_a_date() {
        let now = Timestamp::from_seconds(784_111_747);
        let asked = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            retry_after(&headers, now).map(|pause| pause.as_secs())
        };
        assert_eq!(asked("120"), Some(120));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), Some(30));
        assert_eq!(asked("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        assert_eq!(asked("99999999999"), Some(MAX_RETRY_AFTER.as_secs()));
        assert_eq!((asked("soon"), asked("-1")), (None, None));
    }

    #[test]
    fn the_excerpt_of_an_answer_can_be_stored_and_shown() {
        assert_eq!(clean("ok\r\n\0<b>"), Some("ok   <b>".to_owned()));
        assert_eq!(clean(" \n "), None);
        assert_eq!(clean(&"ü".repeat(900)).unwrap().chars().count(), EXCERPT_CHARS);
    }
}
