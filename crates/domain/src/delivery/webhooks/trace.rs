//! What is kept of an attempt besides its times: why it failed, and its headers, bounded in size and without the values
//! of secrets.

use serde::{Deserialize, Serialize};

use super::AttemptErrorCode;
use crate::{DeliveryId, Timestamp};

/// Bounds of what is kept of an answer's headers.
const MAX_HEADERS: usize = 24;
const MAX_VALUE_CHARS: usize = 200;
const MAX_BYTES: usize = 1024;

/// Stands for a value that is not shown.
const HIDDEN: &str = "***";
/// Headers whose names contain one of these may hold a credential.
const SECRET_PARTS: [&str; 7] = ["auth", "cookie", "token", "secret", "api-key", "apikey", "password"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderView {
    pub name: String,
    pub value: String,
}

/// What is stored of an attempt. The request's fixed headers follow from the delivery and are not stored. Members have
/// short names, since there is a trace for each attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptTrace {
    /// `webhook-signature`, as it was sent.
    #[serde(rename = "s", default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// `user-agent`, as it was sent.
    #[serde(rename = "u", default, skip_serializing_if = "String::is_empty")]
    pub user_agent: String,
    /// Names of the endpoint's own headers.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<String>,
    /// The answer's headers.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub response: Vec<(String, String)>,
    /// The attempt was asked for by a client or a recovery, and did not follow from the schedule.
    #[serde(rename = "a", default, skip_serializing_if = "std::ops::Not::not")]
    pub redelivery: bool,
    /// Why the attempt failed. None for a successful attempt, and for one of an earlier version.
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<AttemptErrorCode>,
}

impl AttemptTrace {
    /// Keeps the headers of an answer within the bounds. Values of headers that may hold a credential are hidden.
    pub fn keep_response<'a>(&mut self, headers: impl Iterator<Item = (&'a str, &'a [u8])>) {
        let mut bytes = 0;
        self.response.clear();
        for (name, value) in headers.take(MAX_HEADERS) {
            let value = if is_secret(name) { HIDDEN.to_owned() } else { readable(value) };
            bytes += name.len() + value.len();
            if bytes > MAX_BYTES {
                break;
            }
            self.response.push((name.to_owned(), value));
        }
    }

    /// The request's headers. Custom ones are shown without their values, which may be credentials.
    pub fn request_headers(&self, id: DeliveryId, at: Timestamp) -> Vec<HeaderView> {
        let fixed = [
            ("content-type", "application/json".to_owned()),
            ("user-agent", self.user_agent.clone()),
            ("webhook-id", id.to_string()),
            ("webhook-timestamp", at.seconds().to_string()),
            ("webhook-signature", self.signature.clone()),
        ];
        let fixed = fixed.into_iter().filter(|(_, value)| !value.is_empty());
        let custom = self.custom.iter().map(|name| (name.as_str(), HIDDEN.to_owned()));
        fixed.chain(custom).map(|(name, value)| HeaderView { name: name.to_ascii_lowercase(), value }).collect()
    }

    pub fn response_headers(&self) -> Vec<HeaderView> {
        self.response.iter().map(|(name, value)| HeaderView { name: name.clone(), value: value.clone() }).collect()
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// Without control characters, and cut, so that it can be stored and shown.
fn readable(value: &[u8]) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    String::from_utf8_lossy(value).chars().take(MAX_VALUE_CHARS).map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn kept(headers: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut trace = AttemptTrace::default();
        trace.keep_response(headers.iter().map(|(name, value)| (*name, value.as_bytes())));
        trace.response
    }

    #[test]
    fn credentials_of_an_answer_are_not_kept() {
        let names = ["Set-Cookie", "WWW-Authenticate", "x-api-key", "X-Auth-Token", "x-client-secret"];
        for name in names {
            assert_eq!(kept(&[(name, "s3cret")]), [(name.to_owned(), HIDDEN.to_owned())]);
        }
        assert_eq!(kept(&[("server", "nginx")]), [("server".to_owned(), "nginx".to_owned())]);
    }

    #[test]
    fn what_is_kept_of_an_answer_is_bounded() {
        assert_eq!(kept(&[("x", &"ü".repeat(900))])[0].1.chars().count(), MAX_VALUE_CHARS);
        assert_eq!(kept(&[("x-a", "a\0b\tc")])[0].1, "a b c");
        let many: Vec<(String, String)> = (0..500).map(|i| (format!("x-{i}"), "v".repeat(100))).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let bytes: usize = kept(&many).iter().map(|(name, value)| name.len() + value.len()).sum();
        assert!(bytes <= MAX_BYTES && bytes > MAX_BYTES / 2, "{bytes}");
    }

    #[test]
    fn the_headers_of_a_request_are_those_that_were_sent() {
        let trace = AttemptTrace {
            signature: "v1,abc".to_owned(),
            user_agent: "switchboard/1.2.3".to_owned(),
            custom: vec!["Authorization".to_owned()],
            ..AttemptTrace::default()
        };
        let (id, at) = (Id::from_bytes([0x11; 12]), Timestamp::from_seconds(1_776_000_000));
        let shown: Vec<String> =
            trace.request_headers(id, at).into_iter().map(|one| format!("{}: {}", one.name, one.value)).collect();
        assert_eq!(
            shown,
            [
                "content-type: application/json",
                "user-agent: switchboard/1.2.3",
                "webhook-id: 111111111111111111111111",
                "webhook-timestamp: 1776000000",
                "webhook-signature: v1,abc",
                "authorization: ***",
            ]
        );
    }

    #[test]
    fn a_trace_is_stored_in_few_bytes() {
        let trace = AttemptTrace {
            signature: "v1,x".to_owned(),
            redelivery: true,
            error_code: Some(AttemptErrorCode::Timeout),
            ..AttemptTrace::default()
        };
        let text = serde_json::to_string(&trace).unwrap();
        assert_eq!(text, r#"{"s":"v1,x","a":true,"e":"timeout"}"#);
        assert_eq!(serde_json::from_str::<AttemptTrace>(&text).unwrap(), trace);
        assert_eq!(serde_json::from_str::<AttemptTrace>("{}").unwrap(), AttemptTrace::default());
    }
}
