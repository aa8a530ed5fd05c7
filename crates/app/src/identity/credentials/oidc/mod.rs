//! Tokens of OpenID Connect issuers: trusted by configuration, verified with the issuer's published keys. This module
//! establishes the identity; the gate decides the permissions.

mod claims;
mod config;
mod error;
mod fetch;
mod issuer;
mod keys;
pub mod log_in;
#[cfg(test)]
mod tests;
mod token_identity;
mod unique_members;

use std::collections::HashMap;
use std::sync::Arc;

use channels::outgoing::{OutgoingBudget, Share};
use domain::Clock;

pub use self::config::{ConfigError, IssuerConfig};
pub use self::error::OidcError;
use self::issuer::IssuerKeys;
use self::keys::Signing;
pub use self::token_identity::OidcIdentity;
use super::jwt::Compact;

/// All trusted issuers, each with its keys.
#[derive(Debug)]
pub struct OidcVerifier {
    issuers: HashMap<String, Issuer>,
    clock: Clock,
}

#[derive(Debug)]
struct Issuer {
    config: IssuerConfig,
    keys: Arc<IssuerKeys>,
}

#[boxed::futures]
impl OidcVerifier {
    /// Checks the settings and fetches nothing yet: an issuer that is down must not prevent a start.
    pub fn new(issuers: Vec<IssuerConfig>, clock: Clock, outgoing: &OutgoingBudget) -> Result<Self, ConfigError> {
        config::check(&issuers)?;
        if issuers.is_empty() {
            // Without issuers nothing is fetched, so the HTTP client, which reads the system's certificates, is not
            // built.
            return Ok(Self { issuers: HashMap::new(), clock });
        }
        let transport = fetch::transport()?;
        let named = |config: IssuerConfig| {
            let share = config.tenant.map_or(Share::Issuers, Share::Tenant);
            let transport = outgoing.transport(Arc::clone(&transport), share);
            let keys = IssuerKeys::new(config.issuer.clone(), transport, clock.clone());
            (config.issuer.clone(), Issuer { config, keys: Arc::new(keys) })
        };
        Ok(Self { issuers: issuers.into_iter().map(named).collect(), clock })
    }

    pub async fn verify(&self, token: &str) -> Result<OidcIdentity, OidcError> {
        let token = Compact::parse(token)?;
        let named = token.issuer()?;
        let issuer = self.issuers.get(&named).ok_or_else(|| OidcError::unknown_issuer(&named))?;
        let signing = Signing::named(&token.header.alg)?;
        issuer.keys.check(&token, signing).await?;
        claims::check_type(token.header.typ.as_deref())?;
        claims::identity(&token.payload, &issuer.config, self.clock.now())
    }
}
