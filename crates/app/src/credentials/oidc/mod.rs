//! Tokens of OpenID Connect issuers: trusted by configuration, verified with the keys that the issuer publishes. It
//! says who the bearer is; what they may do here is for the gate to decide.

mod claims;
mod config;
mod error;
mod fetch;
mod issuer;
mod keys;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use domain::roles::Role;
use domain::scopes::ScopeSet;
use domain::{Clock, TenantId, Timestamp};

pub use self::config::{ConfigError, IssuerConfig};
pub use self::error::OidcError;
use self::issuer::Issuer;
use self::keys::Signing;
use super::jwt::Compact;

/// Who a verified token speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcIdentity {
    pub issuer: String,
    pub subject: String,
    /// `None` when the claim is missing or names a tenant that the issuer may not speak for.
    pub tenant: Option<TenantId>,
    pub role: Role,
    pub scopes: ScopeSet,
    pub expires_at: Timestamp,
}

/// All trusted issuers, each with its keys.
#[derive(Debug)]
pub struct OidcVerifier {
    issuers: HashMap<String, Arc<Issuer>>,
    clock: Clock,
}

impl OidcVerifier {
    /// Asks no issuer anything yet: a dead one must not hinder a start.
    pub fn new(issuers: Vec<IssuerConfig>, clock: Clock) -> Result<Self, ConfigError> {
        config::check(&issuers)?;
        if issuers.is_empty() {
            // Without issuers there is nothing to fetch; a client would read the system's certificates for nothing.
            return Ok(Self { issuers: HashMap::new(), clock });
        }
        let client = fetch::client()?;
        let named = |config: IssuerConfig| {
            (config.issuer.clone(), Arc::new(Issuer::new(config, client.clone(), clock.clone())))
        };
        Ok(Self { issuers: issuers.into_iter().map(named).collect(), clock })
    }

    pub async fn verify(&self, token: &str) -> Result<OidcIdentity, OidcError> {
        let token = Compact::parse(token)?;
        let named = token.issuer()?;
        let issuer = self.issuers.get(&named).ok_or_else(|| OidcError::unknown_issuer(&named))?;
        let signing = Signing::named(&token.header.alg)?;
        issuer.check(&token, signing).await?;
        claims::identity(&token.payload, &issuer.config, self.clock.now())
    }
}
