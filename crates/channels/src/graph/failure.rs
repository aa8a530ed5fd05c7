//! The error of a Graph call, one type for all causes. Contains what the network answered, never what was sent.

use std::fmt;
use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use serde::Deserialize;

use super::errors::{self, Class};
use crate::transport::{FailureKind, TransportError};

/// Pause of a call for which this process had no connection.
const OVERLOADED_PAUSE: Duration = Duration::from_secs(1);

/// A failed call, with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError {
    pub class: Class,
    /// The reason in Switchboard's words.
    pub reason: &'static str,
    pub status: Option<u16>,
    pub code: Option<i32>,
    pub subcode: Option<i32>,
    pub kind: Option<Box<str>>,
    /// The message of the network, or of the connection error.
    pub message: Box<str>,
    pub details: Option<Box<str>>,
    pub trace_id: Option<Box<str>>,
    pub retry_after: Option<Duration>,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)?;
        if let Some(code) = self.code {
            write!(f, " (code {code})")?;
        } else if let Some(status) = self.status {
            write!(f, " (HTTP {status})")?;
        }
        let text = self.details.as_deref().unwrap_or(&self.message);
        if text.is_empty() { Ok(()) } else { write!(f, ": {text}") }
    }
}

impl std::error::Error for GraphError {}

#[derive(Deserialize)]
struct Answer {
    error: ErrorBody,
}

#[derive(Deserialize)]
struct ErrorBody {
    code: i32,
    #[serde(default)]
    error_subcode: Option<i32>,
    #[serde(default, rename = "type")]
    kind: Option<Box<str>>,
    #[serde(default)]
    message: Option<Box<str>>,
    #[serde(default)]
    error_data: Option<Data>,
    #[serde(default)]
    error_user_msg: Option<Box<str>>,
    #[serde(default)]
    fbtrace_id: Option<Box<str>>,
    #[serde(default)]
    is_transient: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Data {
    Object {
        #[serde(default)]
        details: Option<Box<str>>,
    },
    /// Some errors have a string or another type here.
    Other(serde::de::IgnoredAny),
}

impl Data {
    fn details(self) -> Option<Box<str>> {
        match self {
            Self::Object { details } => details,
            Self::Other(_) => None,
        }
    }
}

impl GraphError {
    pub(super) fn new(class: Class, reason: &'static str, message: impl Into<Box<str>>) -> Self {
        Self {
            class,
            reason,
            status: None,
            code: None,
            subcode: None,
            kind: None,
            message: message.into(),
            details: None,
            trace_id: None,
            retry_after: None,
        }
    }

    /// The error of a request that was not sent because it cannot be built.
    pub(super) fn invalid_request(message: impl Into<Box<str>>) -> Self {
        Self::new(Class::Refuse, "the request cannot be built", message)
    }

    pub(super) fn breaker_open(wait: Duration) -> Self {
        let open = Self::new(Class::RetryLater, "the network has failed too often; requests are paused", "");
        Self { retry_after: Some(wait), ..open }
    }

    /// The error of a call that did not leave because too many of this server's connections are in use. It says nothing
    /// about the network.
    fn overloaded() -> Self {
        let overloaded = Self::new(Class::RetryLater, "too many of this server's connections are in use", "");
        Self { retry_after: Some(OVERLOADED_PAUSE), ..overloaded }
    }

    /// The error of an answer with a success status whose body cannot be parsed: the request may have been taken.
    pub(super) fn unreadable(status: u16, message: impl Into<Box<str>>) -> Self {
        let unknown = Self::new(Class::Unknown, "the network's response cannot be read", message);
        Self { status: Some(status), ..unknown }
    }

    /// The error of an answer with a status other than 2xx.
    pub(super) fn from_answer(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let from_status = || {
            let (class, reason) = errors::classify_status(status);
            Self::new(class, reason, "")
        };
        let parsed = serde_json::from_slice::<Answer>(body);
        let error = parsed.map_or_else(|_| from_status(), |answer| Self::from_error_body(status, answer.error));
        Self { status: Some(status), retry_after: retry_after(headers), ..error }
    }

    fn from_error_body(status: u16, body: ErrorBody) -> Self {
        let transient = body.is_transient == Some(true);
        let (class, reason) =
            errors::classify_code(body.code).unwrap_or_else(|| errors::classify_unknown_code(status, transient));
        let details = body.error_data.and_then(Data::details).or(body.error_user_msg);
        Self {
            code: Some(body.code),
            subcode: body.error_subcode,
            kind: body.kind,
            details,
            trace_id: body.fbtrace_id,
            ..Self::new(class, reason, body.message.unwrap_or_default())
        }
    }
}

impl From<TransportError> for GraphError {
    fn from(error: TransportError) -> Self {
        let (class, reason) = match &error {
            TransportError::NotConnected(_) if error.kind() == FailureKind::Overloaded => return Self::overloaded(),
            TransportError::NotConnected(_) => (Class::Retry, "the network cannot be reached"),
            TransportError::Forbidden(_) => (Class::Refuse, "the address may not be called"),
            TransportError::AnswerLost(_) => (Class::Unknown, "the network's response was lost"),
        };
        Self::new(class, reason, error.to_string())
    }
}

/// Parses `Retry-After` in seconds only: the network does not send dates here.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_error_in_full() {
        let body = br#"{"error":{"message":"(#131030) not in list","type":"OAuthException","code":131030,
            "error_subcode":7,"error_data":{"messaging_product":"whatsapp","details":"add it"},"fbtrace_id":"Az8","x":[]}}"#;
        let error = GraphError::from_answer(400, &HeaderMap::new(), body);
        assert_eq!(
            (error.class, error.status, error.code, error.subcode),
            (Class::Refuse, Some(400), Some(131_030), Some(7))
        );
        assert_eq!((error.kind.as_deref(), error.trace_id.as_deref()), (Some("OAuthException"), Some("Az8")));
        assert_eq!(error.to_string(), "the number is not on the list of test recipients (code 131030): add it");
    }

    #[test]
    fn malformed_error_bodies() {
        let class = |status, body: &[u8]| GraphError::from_answer(status, &HeaderMap::new(), body).class;
        assert_eq!(class(503, b""), Class::Unknown);
        assert_eq!(class(503, b"<html>"), Class::Unknown);
        assert_eq!(class(503, br#"{"error":{"code":9999999,"is_transient":true}}"#), Class::Retry);
        assert_eq!(class(500, br#"{"error":{"code":131000,"error_data":"text"}}"#), Class::Retry);
        assert_eq!(class(400, br#"{"error":{"code":100,"error_data":null,"message":null}}"#), Class::Refuse);
        assert_eq!(class(400, br#"{"error":"nothing"}"#), Class::Refuse);
    }

    #[test]
    fn a_call_without_a_connection_of_ours_is_repeated_later() {
        let error = GraphError::from(TransportError::overloaded());
        assert_eq!((error.class, error.status), (Class::RetryLater, None));
        assert_eq!(error.retry_after, Some(OVERLOADED_PAUSE));
    }

    #[test]
    fn retry_after_in_seconds() {
        let of = |text: &str| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]));
        assert_eq!(of("30"), Some(Duration::from_secs(30)));
        assert_eq!(of("Wed, 21 Oct 2026 07:28:00 GMT").or(of("-1")).or(of("")), None);
    }
}
