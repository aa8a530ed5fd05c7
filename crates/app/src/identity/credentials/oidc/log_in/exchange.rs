//! Exchanges the code of a log-in for an ID token, and asks the provider for the e-mail address if the token does not
//! name it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use channels::transport::{empty, full};
use domain::Timestamp;
use http::{Request, StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::failure::LogInFailure;
use super::identity::{Identity, PersonClaims};
use super::provider::Provider;
use super::state::{LogInState, shortened};
use crate::identity::credentials::oidc::fetch::{self, Discovery, FetchError};

const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";

/// A person whom the provider has logged in.
#[derive(Debug)]
pub(super) struct VerifiedPerson {
    /// Verified by the provider, in lower case.
    pub email: String,
    pub claims: Map<String, Value>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    id_token: String,
    access_token: Option<String>,
}

#[derive(Deserialize)]
struct TokenRefusal {
    error: Option<String>,
}

impl Provider {
    /// Exchanges the code and returns the person who logged in.
    pub async fn verified_person(
        &self,
        code: &str,
        log_in: &LogInState,
        public_url: &str,
        now: Timestamp,
    ) -> Result<VerifiedPerson, LogInFailure> {
        let found = self.discover().await?;
        let tokens = self.exchange(code, log_in, public_url, &found).await?;
        let identity = self.identity(&tokens.id_token, &log_in.nonce, now).await;
        let identity = identity.map_err(|error| LogInFailure::Token(self.config.name.clone(), error))?;
        let mut claims = identity.person.others.clone();
        let person = match (&identity.person.email, &found.userinfo_endpoint, &tokens.access_token) {
            (None, Some(_), Some(token)) => self.userinfo(&found, token, &identity).await?,
            _ => identity.person,
        };
        claims.extend(person.others.clone());
        let email = person.verified_email();
        let email = email.ok_or_else(|| LogInFailure::EmailNotVerified(self.config.name.clone()))?;
        Ok(VerifiedPerson { email, claims })
    }

    async fn exchange(
        &self,
        code: &str,
        log_in: &LogInState,
        public_url: &str,
        found: &Discovery,
    ) -> Result<TokenAnswer, LogInFailure> {
        let url = self.endpoint(found.token_endpoint.as_ref())?;
        let callback = self.callback(public_url);
        let (id, secret) = (self.config.client_id.as_str(), self.config.client_secret.as_str());
        let mut members = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &callback),
            ("code_verifier", &log_in.verifier),
        ];
        let mut request = Request::post(url.as_str())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        if by_post(found) {
            members.extend([("client_id", id), ("client_secret", secret)]);
        } else {
            let pair = Zeroizing::new(format!("{}:{}", encoded(id), encoded(secret)));
            request = request.header(header::AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair.as_bytes())));
        }
        let request = request.body(full(form(&members)));
        let request = request.map_err(|_| self.unavailable(&FetchError::Url { url: url.to_string() }))?;
        let (status, body) =
            fetch::call(&*self.transport, url.clone(), request).await.map_err(|error| self.unavailable(&error))?;
        if status.is_client_error() {
            let why = serde_json::from_slice(&body).ok().and_then(|refusal: TokenRefusal| refusal.error);
            let error = shortened(&why.unwrap_or_default());
            tracing::warn!(provider = self.config.id, %status, error, "a provider refused the code of a log-in");
            return Err(LogInFailure::Refused(self.config.name.clone()));
        }
        self.parsed(url, status, &body)
    }

    async fn userinfo(
        &self,
        found: &Discovery,
        token: &str,
        identity: &Identity,
    ) -> Result<PersonClaims, LogInFailure> {
        let url = self.endpoint(found.userinfo_endpoint.as_ref())?;
        let request = Request::get(url.as_str())
            .header(header::ACCEPT, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .body(empty());
        let request = request.map_err(|_| self.unavailable(&FetchError::Url { url: url.to_string() }))?;
        let (status, body) =
            fetch::call(&*self.transport, url.clone(), request).await.map_err(|error| self.unavailable(&error))?;
        let person: PersonClaims = self.parsed(url, status, &body)?;
        // Another subject would be another person, so its address is refused (OpenID Connect Core, 5.3.2).
        if person.sub.as_deref() != Some(identity.subject.as_str()) {
            return Err(LogInFailure::EmailNotVerified(self.config.name.clone()));
        }
        Ok(person)
    }

    fn parsed<T: DeserializeOwned>(&self, url: Url, status: StatusCode, body: &[u8]) -> Result<T, LogInFailure> {
        if status != StatusCode::OK {
            return Err(self.unavailable(&FetchError::Status { url, status: status.as_u16() }));
        }
        serde_json::from_slice(body).map_err(|source| self.unavailable(&FetchError::Json { url, source }))
    }
}

/// Whether the client secret is sent in the body instead of the `Authorization` header. Providers support the header
/// unless they say otherwise (OpenID Connect Discovery, 3).
fn by_post(found: &Discovery) -> bool {
    let methods = found.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
    let supports = |name: &str| methods.iter().any(|method| method == name);
    supports(POST) && !supports(BASIC)
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn form(members: &[(&str, &str)]) -> String {
    members.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&")
}
