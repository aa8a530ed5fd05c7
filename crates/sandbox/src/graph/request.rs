//! A parsed Graph request: method, path without its version, query, headers, body.

use std::collections::BTreeMap;

use channels::transport::{Body, CollectError, collect};
use http::request::Parts;
use http::{Method, Request, header};
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::error::GraphError;
use super::parts::Checked;

/// Size limit of a JSON body. The network's own limits are far lower.
const MAX_BODY: usize = 1024 * 1024;
const DEFAULT_VERSION: &str = "v23.0";

#[derive(Debug)]
pub struct GraphRequest {
    pub method: Method,
    pub version: String,
    pub segments: Vec<String>,
    pub query: BTreeMap<String, String>,
    pub head: Parts,
    /// The mutex is never locked: it only makes the request `Sync`.
    body: Mutex<Body>,
}

#[boxed::futures]
impl GraphRequest {
    pub fn new(request: Request<Body>) -> Self {
        let (head, body) = request.into_parts();
        let mut segments: Vec<String> =
            head.uri.path().split('/').filter(|part| !part.is_empty()).map(decoded).collect();
        let versioned = segments.first().is_some_and(|first| is_version(first));
        let version = if versioned { segments.remove(0) } else { DEFAULT_VERSION.to_owned() };
        let query = pairs(head.uri.query().unwrap_or_default());
        Self { method: head.method.clone(), version, segments, query, head, body: Mutex::new(body) }
    }

    pub fn into_body(self) -> Body {
        self.body.into_inner()
    }

    /// The access token: from the `Authorization` header, else from `access_token` in the query.
    pub fn token(&self) -> Option<&str> {
        let header = self.head.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = header.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| is_bearer(scheme));
        bearer.map(|(_, token)| token.trim()).or_else(|| self.query.get("access_token").map(String::as_str))
    }

    /// Whether the request has an `Authorization` header.
    pub fn has_header_token(&self) -> bool {
        self.head.headers.contains_key(header::AUTHORIZATION)
    }

    pub fn content_type(&self) -> &str {
        self.head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Scheme and host that the client used; URLs in answers start with it.
    pub fn origin(&self) -> String {
        let host = self.head.headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let authority = self.head.uri.authority().map(http::uri::Authority::as_str);
        let scheme = self.head.uri.scheme_str().unwrap_or("http");
        format!("{scheme}://{}", authority.or(host).unwrap_or("localhost"))
    }

    /// Parses the body: JSON, or a form whose values may be JSON objects, arrays or booleans. An empty body is an empty
    /// object.
    pub async fn json(self) -> Checked<Value> {
        let form = self.content_type().starts_with("application/x-www-form-urlencoded");
        let bytes = collect(self.into_body(), MAX_BODY).await.map_err(|error| match error {
            CollectError::TooLarge(limit) => GraphError::too_large(limit),
            CollectError::Broken(_) => GraphError::unreadable("the body broke off"),
        })?;
        if form {
            return Ok(from_form(&String::from_utf8_lossy(&bytes)));
        }
        if bytes.is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        serde_json::from_slice(&bytes).map_err(|error| {
            GraphError::unreadable(format!("it is not JSON (line {}, column {})", error.line(), error.column()))
        })
    }
}

fn is_bearer(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("oauth")
}

fn is_version(segment: &str) -> bool {
    let Some((major, minor)) = segment.strip_prefix('v').and_then(|rest| rest.split_once('.')) else { return false };
    let digits = |text: &str| !text.is_empty() && text.len() <= 3 && text.bytes().all(|digit| digit.is_ascii_digit());
    digits(major) && digits(minor)
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Parses a query or form; of repeated names the last value counts.
fn pairs(text: &str) -> BTreeMap<String, String> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(&name.replace('+', " ")), decoded(&value.replace('+', " ")))
    };
    text.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

fn from_form(text: &str) -> Value {
    let value = |text: String| match serde_json::from_str::<Value>(&text) {
        Ok(value @ (Value::Object(_) | Value::Array(_) | Value::Bool(_))) => value,
        _ => Value::String(text),
    };
    Value::Object(pairs(text).into_iter().map(|(name, text)| (name, value(text))).collect())
}

#[cfg(test)]
mod tests {
    use channels::transport::{empty, full};

    use super::*;

    fn graph_request(uri: &str) -> GraphRequest {
        GraphRequest::new(Request::get(uri).body(empty()).unwrap())
    }

    #[test]
    fn a_path_is_known_with_and_without_its_version() {
        for (uri, version) in
            [("/v23.0/12/messages", "v23.0"), ("/v9.12/12/messages/", "v9.12"), ("/12//messages", "v23.0")]
        {
            let request = graph_request(uri);
            assert_eq!((request.segments.join("/").as_str(), request.version.as_str()), ("12/messages", version));
        }
        assert_eq!(graph_request("/v.0/12").segments, ["v.0", "12"]);
        assert_eq!(graph_request("/").segments, Vec::<String>::new());
        assert_eq!(graph_request("/12?fields=a%2Cb&x=1+2").query["fields"], "a,b");
        assert_eq!(graph_request("/12?fields=a%2Cb&x=1+2").query["x"], "1 2");
    }

    #[test]
    fn a_token_is_taken_from_the_header_or_the_query() {
        let with = |value: &str| {
            GraphRequest::new(Request::get("/1?access_token=q").header("authorization", value).body(empty()).unwrap())
        };
        assert_eq!(with("Bearer h").token(), Some("h"));
        assert_eq!(with("OAuth h").token(), Some("h"));
        assert_eq!(with("Basic h").token(), Some("q"));
        assert_eq!(graph_request("/1").token(), None);
    }

    #[test]
    fn the_origin_is_where_the_caller_reached_us() {
        let request = Request::get("/1").header("host", "127.0.0.1:4711").body(empty()).unwrap();
        assert_eq!(GraphRequest::new(request).origin(), "http://127.0.0.1:4711");
        assert_eq!(graph_request("https://graph.example/1").origin(), "https://graph.example");
    }

    #[tokio::test]
    async fn a_body_is_json_or_a_form() {
        let posted = |kind: &str, body: &'static str| {
            GraphRequest::new(Request::post("/1").header("content-type", kind).body(full(body)).unwrap()).json()
        };
        assert_eq!(posted("application/json", r#"{"a":1}"#).await.unwrap()["a"], 1);
        let form = posted("application/x-www-form-urlencoded", "a=1&b=%7B%22c%22%3Atrue%7D").await.unwrap();
        assert_eq!((form["a"].as_str(), &form["b"]["c"]), (Some("1"), &Value::Bool(true)));
        assert_eq!(posted("application/json", "{").await.unwrap_err().code, 100);
        let huge = "x".repeat(MAX_BODY + 1);
        let request = GraphRequest::new(Request::post("/1").body(full(huge)).unwrap());
        assert_eq!(request.json().await.unwrap_err().status, http::StatusCode::PAYLOAD_TOO_LARGE);
    }
}
