//! HTTP client for the Graph API of one phone number: builds URLs, adds the access token, passes every call through the
//! breaker and parses the JSON answer.
//!
//! It never repeats a call: an error says whether the network can have taken the request (`Class`), and the caller
//! decides. Answers are read up to a size limit. The access token is added in one place and appears in no error and no
//! log. Operations are methods in the neighbouring modules (`send.rs`, `media.rs`, `templates.rs`, …).

use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, request};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::breaker::{Breaker, Permit};
use super::errors::Class;
use super::failure::GraphError;
use super::secret::Secret;
use crate::transport::{self, Body, Transport};

/// Size limit of a JSON answer, in bytes.
const MAX_ANSWER: usize = 1024 * 1024;

/// Everything but RFC 3986's unreserved characters is escaped in path segments and query values.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) type Result<T> = std::result::Result<T, GraphError>;

/// A phone number, its business account, and the access token for both.
#[derive(Debug, Clone)]
pub struct NumberCredentials {
    pub phone_number_id: String,
    pub account_id: String,
    pub access_token: Secret,
}

/// The scheme of the header `Authorization`. Upload sessions take `OAuth`, everything else `Bearer`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scheme {
    Bearer,
    OAuth,
}

/// The Graph API on behalf of one phone number.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) guarded: Option<Arc<dyn Transport>>,
    pub(super) base_url: String,
    pub(super) credentials: NumberCredentials,
    breaker: Arc<Breaker>,
}

impl Graph {
    /// `base_url` includes the version and no trailing slash: `https://graph.facebook.com/v23.0`.
    pub fn new(
        transport: Arc<dyn Transport>,
        base_url: impl Into<String>,
        credentials: NumberCredentials,
        breaker: Arc<Breaker>,
    ) -> Self {
        Self { transport, guarded: None, base_url: base_url.into(), credentials, breaker }
    }

    /// Transport for media on hosts other than `base_url`'s. Without it, such downloads fail.
    #[must_use]
    pub fn with_guarded(self, guarded: Arc<dyn Transport>) -> Self {
        Self { guarded: Some(guarded), ..self }
    }

    pub(super) fn access_token(&self) -> &str {
        self.credentials.access_token.reveal()
    }

    pub(super) fn number_url(&self, rest: &[&str]) -> Result<String> {
        self.url(&self.credentials.phone_number_id, rest)
    }

    pub(super) fn account_url(&self, rest: &[&str]) -> Result<String> {
        self.url(&self.credentials.account_id, rest)
    }

    /// Ids come from outside, so each is escaped into exactly one path segment.
    pub(super) fn url(&self, first: &str, rest: &[&str]) -> Result<String> {
        let mut url = self.base_url.clone();
        for segment in std::iter::once(&first).chain(rest) {
            if segment.is_empty() || *segment == "." || *segment == ".." {
                return Err(GraphError::invalid_request("an id is empty or only dots"));
            }
            url.push('/');
            url.extend(utf8_percent_encode(segment, ESCAPED));
        }
        Ok(url)
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T> {
        self.ask(finish(self.request(Method::GET, url)?, transport::empty())?).await
    }

    pub(super) async fn delete<T: DeserializeOwned>(&self, url: &str) -> Result<T> {
        self.ask(finish(self.request(Method::DELETE, url)?, transport::empty())?).await
    }

    pub(super) async fn post<T: DeserializeOwned>(&self, url: &str, body: &impl Serialize) -> Result<T> {
        let json = serde_json::to_vec(body).map_err(|error| GraphError::invalid_request(error.to_string()))?;
        self.post_json(url, json).await
    }

    pub(super) async fn post_json<T: DeserializeOwned>(&self, url: &str, json: Vec<u8>) -> Result<T> {
        let request = self.request(Method::POST, url)?.header(CONTENT_TYPE, "application/json");
        self.ask(finish(request, transport::full(json))?).await
    }

    pub(super) fn request(&self, method: Method, url: &str) -> Result<request::Builder> {
        self.request_as(Scheme::Bearer, method, url)
    }

    /// The only place that reveals the access token.
    pub(super) fn request_as(&self, scheme: Scheme, method: Method, url: &str) -> Result<request::Builder> {
        let name = match scheme {
            Scheme::Bearer => "Bearer",
            Scheme::OAuth => "OAuth",
        };
        let mut token =
            HeaderValue::try_from(format!("{name} {}", self.credentials.access_token.reveal())).map_err(|_| {
                GraphError::invalid_request("the access token has characters that are not allowed in a header")
            })?;
        token.set_sensitive(true);
        Ok(Request::builder().method(method).uri(url).header(AUTHORIZATION, token))
    }

    pub(super) async fn ask<T: DeserializeOwned>(&self, request: Request<Body>) -> Result<T> {
        let permit = self.breaker.admit().map_err(GraphError::breaker_open)?;
        let answer = exchange(self.transport.as_ref(), request).await.and_then(|(status, bytes)| read(status, &bytes));
        update_breaker(permit, answer.as_ref().err());
        answer
    }
}

pub(super) fn finish(request: request::Builder, body: Body) -> Result<Request<Body>> {
    request.body(body).map_err(|error| GraphError::invalid_request(error.to_string()))
}

/// A query string: `?name=value&…`.
pub(super) fn query(pairs: &[(&str, &str)]) -> String {
    let pair = |(name, value): &(&str, &str)| format!("{name}={}", utf8_percent_encode(value, ESCAPED));
    format!("?{}", pairs.iter().map(pair).collect::<Vec<_>>().join("&"))
}

async fn exchange(transport: &dyn Transport, request: Request<Body>) -> Result<(u16, Bytes)> {
    let (parts, body) = transport.call(request).await?.into_parts();
    let status = parts.status.as_u16();
    let body = transport::collect(body, MAX_ANSWER).await;
    match body {
        Ok(bytes) if parts.status.is_success() => Ok((status, bytes)),
        Err(error) if parts.status.is_success() => Err(GraphError::unreadable(status, error.to_string())),
        body => Err(GraphError::from_answer(status, &parts.headers, &body.unwrap_or_default())),
    }
}

/// The parser's message may quote the answer, so the error names only line and column.
fn read<T: DeserializeOwned>(status: u16, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        let position = format!("not the expected JSON at line {}, column {}", error.line(), error.column());
        GraphError::unreadable(status, position)
    })
}

/// A refusal counts as an answer. A call that the guard stopped (no status) says nothing about the network.
fn update_breaker(permit: Permit<'_>, error: Option<&GraphError>) {
    match error {
        Some(error) if matches!(error.class, Class::Retry | Class::Unknown) => permit.failed(),
        Some(error) if error.status.is_none() => drop(permit),
        _ => permit.answered(),
    }
}

/// The answer of operations that return no data.
#[derive(Deserialize)]
pub(super) struct Done {
    success: bool,
}

impl Done {
    pub(super) fn check(&self) -> Result<()> {
        if self.success { Ok(()) } else { Err(GraphError::new(Class::Refuse, "the network refused the request", "")) }
    }
}

/// One page of a list.
#[derive(Deserialize)]
pub(super) struct Page<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    paging: Option<Paging>,
}

#[derive(Deserialize)]
struct Paging {
    #[serde(default)]
    cursors: Option<Cursors>,
    #[serde(default)]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Cursors {
    #[serde(default)]
    after: Option<String>,
}

impl<T> Page<T> {
    /// The cursor of the next page; `None` on the last page, which has a cursor but no `next`.
    pub(super) fn next(&mut self) -> Option<String> {
        let paging = self.paging.take()?;
        paging.next.and(paging.cursors?.after)
    }
}
