//! Fetches what an issuer publishes: the discovery document and the key set. Follows no redirects, uses no proxy, and
//! bounds size and time of each answer. `issuer` caches the keys.

use std::sync::Arc;
use std::time::Duration;

use channels::transport::{
    Body, CallTime, CollectError, HttpTransport, Timeouts, Transport, TransportError, collect, empty,
};
use domain::Timestamp;
use http::{Request, StatusCode, header};
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::keys::KeySet;

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BODY: usize = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{url}: {source}")]
    Http { url: Url, source: TransportError },
    #[error("{url} returned {status}")]
    Status { url: Url, status: u16 },
    #[error("{url}: {source}")]
    Body { url: Url, source: CollectError },
    #[error("{url} did not return the expected JSON: {source}")]
    Json { url: Url, source: serde_json::Error },
    #[error("the discovery document belongs to the issuer {found:?}")]
    OtherIssuer { found: String },
    #[error("the URL {url:?} cannot be used")]
    Url { url: String },
}

/// The members of a discovery document that are used. Log-ins need more of them than the check of tokens.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Discovery {
    issuer: String,
    jwks_uri: String,
    pub authorization_endpoint: Option<String>,
    pub token_endpoint: Option<String>,
    pub userinfo_endpoint: Option<String>,
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Value>,
}

/// The transport to issuers. It may reach private addresses, since the settings name the issuers.
pub(super) fn transport() -> reqwest::Result<Arc<dyn Transport>> {
    Ok(Arc::new(HttpTransport::new(Timeouts { connect: TIMEOUT, call: TIMEOUT })?))
}

pub(super) async fn key_set(transport: &dyn Transport, issuer: &str, now: Timestamp) -> Result<KeySet, FetchError> {
    let found = discover(transport, issuer).await?;
    let jwks: Jwks = get(transport, endpoint(issuer, &found.jwks_uri)?).await?;
    Ok(KeySet::from_jwks(&jwks.keys, now))
}

pub(super) async fn discover(transport: &dyn Transport, issuer: &str) -> Result<Discovery, FetchError> {
    let found: Discovery = get(transport, discovery_url(issuer)?).await?;
    if found.issuer != issuer {
        return Err(FetchError::OtherIssuer { found: found.issuer });
    }
    Ok(found)
}

/// The address of the discovery document. A slash at the issuer's end is not doubled (OpenID Connect Discovery, 4).
fn discovery_url(issuer: &str) -> Result<Url, FetchError> {
    let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    Url::parse(&url).map_err(|_| FetchError::Url { url })
}

/// Parses a URL that an issuer publishes. For an https issuer it must be https as well.
pub(super) fn endpoint(issuer: &str, text: &str) -> Result<Url, FetchError> {
    let plain_allowed = issuer.starts_with("http:");
    let usable = |url: &Url| url.scheme() == "https" || (plain_allowed && url.scheme() == "http");
    let url = Url::parse(text).ok().filter(usable);
    url.ok_or_else(|| FetchError::Url { url: text.to_owned() })
}

async fn get<T: DeserializeOwned>(transport: &dyn Transport, url: Url) -> Result<T, FetchError> {
    let request = Request::get(url.as_str()).header(header::ACCEPT, "application/json").body(empty());
    let request = request.map_err(|_| FetchError::Url { url: url.to_string() })?;
    let (status, body) = call(transport, url.clone(), request).await?;
    if status != StatusCode::OK {
        return Err(FetchError::Status { status: status.as_u16(), url });
    }
    serde_json::from_slice(&body).map_err(|source| FetchError::Json { url, source })
}

/// Sends the request and returns status and whole body of the answer.
pub(super) async fn call(
    transport: &dyn Transport,
    url: Url,
    mut request: Request<Body>,
) -> Result<(StatusCode, bytes::Bytes), FetchError> {
    request.extensions_mut().insert(CallTime(TIMEOUT));
    let response = match transport.call(request).await {
        Ok(response) => response,
        Err(source) => return Err(FetchError::Http { url, source }),
    };
    let status = response.status();
    let body = collect(response.into_body(), MAX_BODY).await;
    Ok((status, body.map_err(|source| FetchError::Body { url, source })?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_https_issuer_cannot_send_us_to_plain_http() {
        assert!(endpoint("https://id.example.com", "http://id.example.com/keys").is_err());
        assert!(endpoint("https://id.example.com", "https://keys.example.com/").is_ok());
        assert!(endpoint("http://127.0.0.1:8080", "http://127.0.0.1:8080/keys").is_ok());
        assert!(endpoint("http://127.0.0.1:8080", "file:///keys").is_err());
    }
}
