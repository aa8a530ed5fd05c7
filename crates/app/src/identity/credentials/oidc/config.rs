//! Settings of trusted issuers, and the checks that refuse a start with bad ones.

use std::collections::{BTreeMap, BTreeSet};

use domain::TenantId;
use domain::identity::roles::Role;
use reqwest::Url;

/// One trusted issuer. Its tokens are for `tenant`, or for the tenant that `tenant_claim` names, which must be one of
/// `tenants`.
#[derive(Debug, Clone)]
pub struct IssuerConfig {
    pub issuer: String,
    pub audience: String,
    pub tenant: Option<TenantId>,
    pub tenant_claim: String,
    pub tenants: Vec<TenantId>,
    pub role_claim: String,
    pub role_map: BTreeMap<String, Role>,
    pub max_role: Role,
    /// A token whose `exp` is later than this after its `iat` is refused.
    pub max_lifetime_seconds: i64,
    /// The clients whose tokens are accepted, as `azp` or `client_id` names them. Empty: all.
    pub clients: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("OIDC issuer {issuer:?}: {problem}")]
    Issuer { issuer: String, problem: &'static str },
    #[error("OIDC provider {id:?}: {problem}")]
    Provider { id: String, problem: &'static str },
    #[error("the HTTP client for OIDC issuers cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}

pub(super) fn check(issuers: &[IssuerConfig]) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    for config in issuers {
        let repeated = (!seen.insert(&config.issuer)).then_some("it is configured twice");
        if let Some(problem) = repeated.or_else(|| problem_of(config)) {
            return Err(ConfigError::Issuer { issuer: config.issuer.clone(), problem });
        }
    }
    Ok(())
}

fn problem_of(config: &IssuerConfig) -> Option<&'static str> {
    if !is_issuer_url(&config.issuer) {
        return Some("`issuer` must be an http or https URL without user, query and fragment");
    }
    if config.audience.is_empty() {
        return Some("`audience` is required");
    }
    if config.tenant_claim.is_empty() || config.role_claim.is_empty() {
        return Some("`tenant_claim` and `role_claim` must name a claim");
    }
    if config.max_lifetime_seconds <= 0 {
        return Some("`max_lifetime_minutes` must be at least 1");
    }
    match (config.tenant, config.tenants.is_empty()) {
        (Some(_), false) => Some("set either `tenant` or `tenants`, not both"),
        (None, true) => Some("set `tenant`, or `tenants` to the list of tenants that it may issue tokens for"),
        _ => None,
    }
}

pub(super) fn is_issuer_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}
