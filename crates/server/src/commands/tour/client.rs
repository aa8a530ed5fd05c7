//! The requests of the tour: real HTTP to the server, each kept with its answer. A request of a session is shown as the
//! command that does the same, so that no cookie and no CSRF token is shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use channels::transport::{self, HttpTransport, Timeouts, Transport as _};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::text::shortened;

const MAX_ANSWER: usize = 4 << 20;

#[derive(Debug)]
pub struct Client {
    transport: HttpTransport,
    url: String,
}

/// What a request presents.
#[derive(Debug, Clone, Default)]
pub enum Credential {
    /// Nothing but the origin that the console has in a browser.
    #[default]
    Origin,
    Session {
        cookie: String,
        csrf_token: String,
    },
    Token(String),
}

/// A request and its answer.
#[derive(Debug)]
pub struct Exchange {
    method: Method,
    url: String,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
    status: StatusCode,
    answer: String,
    /// Name and value of the cookie in the answer.
    cookie: Option<String>,
    /// The `switchboard` command that does the same as the request.
    command: Option<String>,
}

/// An exchange as JSON. One that is shown as a command has neither a method, a URL nor headers.
#[derive(Serialize)]
#[serde(untagged)]
enum ExchangeView<'a> {
    Request(RequestView<'a>),
    Command { command: &'a str, status: u16, answer: Option<&'a RawValue> },
}

#[derive(Serialize)]
struct RequestView<'a> {
    method: &'a str,
    url: &'a str,
    headers: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
    curl: String,
    status: u16,
    answer: Option<&'a RawValue>,
}

impl Client {
    pub fn new(url: &str) -> anyhow::Result<Self> {
        let transport = HttpTransport::new(Timeouts::default()).context("cannot create the HTTP client")?;
        Ok(Self { transport, url: url.to_owned() })
    }

    pub async fn get(&self, credential: &Credential, path: &str) -> anyhow::Result<Exchange> {
        self.send(credential, Method::GET, path, None).await
    }

    pub async fn post(&self, credential: &Credential, path: &str, body: String) -> anyhow::Result<Exchange> {
        self.send(credential, Method::POST, path, Some(body)).await
    }

    async fn send(
        &self,
        credential: &Credential,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> anyhow::Result<Exchange> {
        let (url, headers) = (format!("{}{path}", self.url), self.headers(credential, body.is_some()));
        let mut request = Request::builder().method(method.clone()).uri(&url);
        for (name, value) in &headers {
            request = request.header(*name, value);
        }
        let request = request.body(body.clone().map_or_else(transport::empty, transport::full))?;
        let named = || format!("{method} {url}");
        let response = self.transport.call(request).await.with_context(named)?;
        let (status, cookie) = (response.status(), cookie_in(response.headers()));
        let answer = transport::collect(response.into_body(), MAX_ANSWER).await.with_context(named)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        Ok(Exchange { method, url, headers, body, status, answer, cookie, command: None })
    }

    /// The headers that the `curl` line names.
    fn headers(&self, credential: &Credential, has_body: bool) -> Vec<(&'static str, String)> {
        let mut headers = match credential {
            Credential::Origin => vec![("Origin", self.url.clone())],
            Credential::Token(token) => vec![("Authorization", format!("Bearer {token}"))],
            // The server asks for both only where something is changed.
            Credential::Session { cookie, .. } if !has_body => vec![("Cookie", cookie.clone())],
            Credential::Session { cookie, csrf_token } => {
                vec![("Cookie", cookie.clone()), ("Origin", self.url.clone()), ("X-CSRF-Token", csrf_token.clone())]
            }
        };
        if has_body {
            headers.push(("Content-Type", "application/json".to_owned()));
        }
        headers
    }
}

fn cookie_in(headers: &HeaderMap) -> Option<String> {
    let cookie = headers.get(header::SET_COOKIE)?.to_str().ok()?;
    cookie.split(';').next().map(str::to_owned)
}

impl Exchange {
    /// Fails unless the status is 2xx.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.status.is_success() {
            return Ok(());
        }
        bail!("{} {} returned {}: {}", self.method, self.url, self.status.as_u16(), shortened(&self.answer))
    }

    /// Null if the answer is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.answer).unwrap_or_default()
    }

    pub fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }

    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub fn answer(&self) -> &str {
        &self.answer
    }

    /// The same exchange, shown as this command.
    pub fn shown_as(self, command: String) -> Self {
        Self { command: Some(command), ..self }
    }

    /// The command line that does what the request did.
    pub fn command_line(&self) -> String {
        self.command.clone().unwrap_or_else(|| self.curl())
    }

    /// The request as a command that a shell takes.
    fn curl(&self) -> String {
        let mut line = format!("curl {}", quoted(&self.url));
        for (name, value) in &self.headers {
            let _ = write!(line, " \\\n  -H {}", quoted(&format!("{name}: {value}")));
        }
        if let Some(body) = &self.body {
            let _ = write!(line, " \\\n  -d {}", quoted(body));
        }
        line
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// JSON as it was sent or received, with the members in their order.
fn raw(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

impl Serialize for Exchange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (status, answer) = (self.status.as_u16(), raw(&self.answer));
        let view = match &self.command {
            Some(command) => ExchangeView::Command { command, status, answer },
            None => ExchangeView::Request(RequestView {
                method: self.method.as_str(),
                url: &self.url,
                headers: self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect(),
                body: self.body.as_deref().and_then(raw),
                curl: self.curl(),
                status,
                answer,
            }),
        };
        view.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shown_as_a_command_that_a_shell_takes() {
        let exchange = Exchange {
            method: Method::POST,
            url: "http://127.0.0.1:1/x?a=b&c".to_owned(),
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: Some(r#"{"text": "it's"}"#.to_owned()),
            status: StatusCode::OK,
            answer: r#"{"b":1,"a":2}"#.to_owned(),
            cookie: None,
            command: None,
        };
        let curl = "curl 'http://127.0.0.1:1/x?a=b&c' \\\n  -H 'Content-Type: application/json' \\\n  \
                    -d '{\"text\": \"it'\\''s\"}'";
        assert_eq!(exchange.curl(), curl);
        let shown = serde_json::to_string(&exchange).unwrap();
        assert!(shown.ends_with(r#""status":200,"answer":{"b":1,"a":2}}"#), "{shown}");
        let exchange = Exchange { headers: vec![("Cookie", "session=1".to_owned())], ..exchange };
        let exchange = exchange.shown_as("switchboard sandbox inbox --person 1".to_owned());
        let shown = serde_json::to_string(&exchange).unwrap();
        let expected = r#"{"command":"switchboard sandbox inbox --person 1","status":200,"answer":{"b":1,"a":2}}"#;
        assert_eq!((shown.as_str(), exchange.command_line().as_str()), (expected, &expected[12..48]));
    }

    #[test]
    fn only_a_2xx_is_a_success() {
        let exchange = |status| Exchange {
            method: Method::GET,
            url: "http://127.0.0.1:1/x".to_owned(),
            headers: Vec::new(),
            body: None,
            status,
            answer: "no".to_owned(),
            cookie: None,
            command: None,
        };
        exchange(StatusCode::NO_CONTENT).check().unwrap();
        let refused = exchange(StatusCode::FORBIDDEN).check().unwrap_err().to_string();
        assert_eq!(refused, "GET http://127.0.0.1:1/x returned 403: no");
    }
}
