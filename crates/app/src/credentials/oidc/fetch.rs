//! Fetches an issuer's keys: the discovery document, then the key set. Follows no redirects, uses no proxy, and bounds
//! size and time of each answer. `issuer` caches the result.

use std::time::Duration;

use domain::Timestamp;
use reqwest::{Client, Url, redirect};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::keys::KeySet;

const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BODY: usize = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{url}: {source}")]
    Http { url: Url, source: reqwest::Error },
    #[error("{url} answers {status}")]
    Status { url: Url, status: u16 },
    #[error("{url} answers with more than 1 MiB")]
    TooLarge { url: Url },
    #[error("{url} does not answer with the expected JSON: {source}")]
    Json { url: Url, source: serde_json::Error },
    #[error("the discovery document is of the issuer {found:?}")]
    OtherIssuer { found: String },
    #[error("the URL {url:?} cannot be used")]
    Url { url: String },
}

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Value>,
}

pub(super) fn client() -> reqwest::Result<Client> {
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .timeout(TIMEOUT)
        .user_agent(concat!("switchboard/", env!("CARGO_PKG_VERSION")))
        .build()
}

pub(super) async fn key_set(client: &Client, issuer: &str, now: Timestamp) -> Result<KeySet, FetchError> {
    let found: Discovery = get(client, discovery_url(issuer)?).await?;
    if found.issuer != issuer {
        return Err(FetchError::OtherIssuer { found: found.issuer });
    }
    let jwks: Jwks = get(client, jwks_url(issuer, &found.jwks_uri)?).await?;
    Ok(KeySet::from_jwks(&jwks.keys, now))
}

/// Does not double a slash at the issuer's end (OpenID Connect Discovery, 4).
fn discovery_url(issuer: &str) -> Result<Url, FetchError> {
    let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    Url::parse(&url).map_err(|_| FetchError::Url { url })
}

/// The keys of an https issuer must come over https.
fn jwks_url(issuer: &str, jwks_uri: &str) -> Result<Url, FetchError> {
    let plain_allowed = issuer.starts_with("http:");
    let usable = |url: &Url| url.scheme() == "https" || (plain_allowed && url.scheme() == "http");
    let url = Url::parse(jwks_uri).ok().filter(usable);
    url.ok_or_else(|| FetchError::Url { url: jwks_uri.to_owned() })
}

async fn get<T: DeserializeOwned>(client: &Client, url: Url) -> Result<T, FetchError> {
    let http = |source: reqwest::Error| FetchError::Http { url: url.clone(), source: source.without_url() };
    let mut response = client.get(url.clone()).send().await.map_err(http)?;
    if response.status() != reqwest::StatusCode::OK {
        return Err(FetchError::Status { status: response.status().as_u16(), url });
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(http)? {
        if body.len() + chunk.len() > MAX_BODY {
            return Err(FetchError::TooLarge { url });
        }
        body.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&body).map_err(|source| FetchError::Json { url, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_https_issuer_cannot_send_us_to_plain_http() {
        assert!(jwks_url("https://id.example.com", "http://id.example.com/keys").is_err());
        assert!(jwks_url("https://id.example.com", "https://keys.example.com/").is_ok());
        assert!(jwks_url("http://127.0.0.1:8080", "http://127.0.0.1:8080/keys").is_ok());
        assert!(jwks_url("http://127.0.0.1:8080", "file:///keys").is_err());
    }
}
