//! One line's way to the network: addresses, the token, one call at a time through the breaker, answers read up to a
//! limit. Knows no operation.

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

/// No answer in JSON is larger.
const MAX_ANSWER: usize = 1024 * 1024;

/// What stays as it is in a path segment or a query value (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) type Result<T> = std::result::Result<T, GraphError>;

/// A phone number of a business account, and the token that may use both.
#[derive(Debug, Clone)]
pub struct NumberCredentials {
    pub phone_number_id: String,
    pub account_id: String,
    pub access_token: Secret,
}

/// The network, as one line sees it.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) guarded: Option<Arc<dyn Transport>>,
    pub(super) base_url: String,
    pub(super) credentials: NumberCredentials,
    breaker: Arc<Breaker>,
}

impl Graph {
    /// `base_url` has the version and no slash at its end: `https://graph.facebook.com/v23.0`.
    pub fn new(
        transport: Arc<dyn Transport>,
        base_url: impl Into<String>,
        credentials: NumberCredentials,
        breaker: Arc<Breaker>,
    ) -> Self {
        Self { transport, guarded: None, base_url: base_url.into(), credentials, breaker }
    }

    /// For media that the network keeps on other hosts; without it only its own host is asked.
    #[must_use]
    pub fn with_guarded(self, guarded: Arc<dyn Transport>) -> Self {
        Self { guarded: Some(guarded), ..self }
    }

    pub(super) fn number_url(&self, rest: &[&str]) -> Result<String> {
        self.url(&self.credentials.phone_number_id, rest)
    }

    pub(super) fn account_url(&self, rest: &[&str]) -> Result<String> {
        self.url(&self.credentials.account_id, rest)
    }

    /// Ids come from outside: each stays one segment, whatever is in it.
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

    /// The only place where the token leaves its hiding.
    pub(super) fn request(&self, method: Method, url: &str) -> Result<request::Builder> {
        let bearer = format!("Bearer {}", self.credentials.access_token.reveal());
        let mut bearer = HeaderValue::try_from(bearer)
            .map_err(|_| GraphError::invalid_request("the access token has characters that no header can carry"))?;
        bearer.set_sensitive(true);
        Ok(Request::builder().method(method).uri(url).header(AUTHORIZATION, bearer))
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

/// `?name=value&…`
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

/// The parser's own words may quote the answer, so only the place is told.
fn read<T: DeserializeOwned>(status: u16, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("not the expected JSON at line {}, column {}", error.line(), error.column());
        GraphError::unreadable(status, place)
    })
}

/// An answer that says no is still an answer. What we forbade ourselves tells nothing about the network.
fn update_breaker(permit: Permit<'_>, error: Option<&GraphError>) {
    match error {
        Some(error) if matches!(error.class, Class::Retry | Class::Unknown) => permit.failed(),
        Some(error) if error.status.is_none() => drop(permit),
        _ => permit.answered(),
    }
}

/// What the network answers where there is nothing else to say.
#[derive(Deserialize)]
pub(super) struct Done {
    success: bool,
}

impl Done {
    pub(super) fn check(&self) -> Result<()> {
        if self.success { Ok(()) } else { Err(GraphError::new(Class::Refuse, "the network says no", "")) }
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
    /// The cursor of the next page. The last page has a cursor too, but no `next`.
    pub(super) fn next(&mut self) -> Option<String> {
        let paging = self.paging.take()?;
        paging.next.and(paging.cursors?.after)
    }
}
