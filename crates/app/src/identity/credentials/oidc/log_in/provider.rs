//! The providers of the settings, and the URL at which a log-in begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use channels::outgoing::OutgoingBudget;
use channels::transport::Transport;
use domain::identity::roles::Role;
use domain::{Clock, TenantId, Timestamp};
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use zeroize::Zeroizing;

use super::failure::LogInFailure;
use super::state::LogInState;
use crate::identity::credentials::oidc::claims::strings;
use crate::identity::credentials::oidc::config::{ConfigError, is_issuer_url};
use crate::identity::credentials::oidc::fetch::{self, Discovery, FetchError};
use crate::identity::credentials::oidc::issuer::IssuerKeys;

const SCOPES: &str = "openid email profile";
/// Seconds for which a fetched discovery document is used.
const FRESH_FOR: i64 = 10 * 60;
/// Seconds after a failed fetch in which log-ins fail without another fetch.
const FAILURE_PAUSE: i64 = 5;

/// A provider at which users of one tenant log in.
#[derive(Clone)]
pub struct ProviderConfig {
    /// The part of the log-in's path that names the provider.
    pub id: String,
    /// The provider's name on the log-in page.
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    pub client_secret: Zeroizing<String>,
    pub tenant: TenantId,
    pub provisioning: Provisioning,
}

/// Which people get an account in the tenant when they log in for the first time. By default none: they are invited.
#[derive(Debug, Clone, Default)]
pub struct Provisioning {
    /// The domains of their e-mail addresses, in lower case. Empty: all domains.
    pub domains: Vec<String>,
    /// The claim with a person's groups: a text, or a list of texts.
    pub role_claim: String,
    /// The role of each group. Of several, the highest counts.
    pub role_map: BTreeMap<String, Role>,
    /// The role of people without such a group. None: they get no account.
    pub default_role: Option<Role>,
}

impl Provisioning {
    /// The role of a new account for this person; none if the person gets no account.
    pub(super) fn role_of(&self, email: &str, claims: &Map<String, Value>) -> Option<Role> {
        let domain = email.rsplit_once('@').map_or("", |(_, domain)| domain);
        if !self.domains.is_empty() && !self.domains.iter().any(|allowed| allowed == domain) {
            return None;
        }
        let groups = strings(claims.get(&self.role_claim));
        let mapped = groups.filter_map(|group| self.role_map.get(group).copied());
        mapped.max_by_key(|role| role.rank()).or(self.default_role)
    }
}

impl std::fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderConfig").field("id", &self.id).field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(super) struct Provider {
    pub config: ProviderConfig,
    pub keys: Arc<IssuerKeys>,
    pub transport: Arc<dyn Transport>,
    clock: Clock,
    /// Locked while a log-in fetches the document, so that many log-ins at once cause few fetches.
    discovered: Mutex<Discovered>,
}

/// The newest discovery document, and the time of the last failed fetch.
#[derive(Debug, Default)]
struct Discovered {
    document: Option<(Timestamp, Discovery)>,
    failed_at: Option<Timestamp>,
}

/// All providers, in the order of the settings.
#[derive(Debug, Default)]
pub struct Providers(Vec<Provider>);

impl Providers {
    /// Checks the settings and fetches nothing yet: a provider that is down must not prevent a start.
    pub(crate) fn new(
        configs: Vec<ProviderConfig>,
        transport: Option<&Arc<dyn Transport>>,
        outgoing: &OutgoingBudget,
        clock: &Clock,
    ) -> Result<Self, ConfigError> {
        let mut ids = BTreeSet::new();
        let mut all = Vec::new();
        for config in configs {
            let wrong = |problem| ConfigError::Provider { id: config.id.clone(), problem };
            if !ids.insert(config.id.clone()) {
                return Err(wrong("it is configured twice"));
            }
            if !is_issuer_url(&config.issuer) {
                return Err(wrong("`issuer` must be an http or https URL without user, query and fragment"));
            }
            let transport = Arc::clone(transport.ok_or_else(|| wrong("this server calls no other servers"))?);
            let transport = outgoing.transport(transport, config.tenant);
            let keys = IssuerKeys::new(config.issuer.clone(), Arc::clone(&transport), clock.clone());
            let (keys, clock, discovered) = (Arc::new(keys), clock.clone(), Mutex::default());
            all.push(Provider { config, keys, transport, clock, discovered });
        }
        Ok(Self(all))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.0.iter()
    }

    pub(super) fn find(&self, id: &str) -> Option<&Provider> {
        self.0.iter().find(|provider| provider.config.id == id)
    }
}

impl Provider {
    pub async fn discover(&self) -> Result<Discovery, LogInFailure> {
        let mut discovered = self.discovered.lock().await;
        let now = self.clock.now();
        let within = |seconds: i64, since: Timestamp| now < since.plus_seconds(seconds);
        if let Some((_, document)) = discovered.document.as_ref().filter(|(at, _)| within(FRESH_FOR, *at)) {
            return Ok(document.clone());
        }
        if discovered.failed_at.is_some_and(|at| within(FAILURE_PAUSE, at)) {
            return Err(LogInFailure::Unavailable(self.config.name.clone()));
        }
        match fetch::discover(&*self.transport, &self.config.issuer).await {
            Ok(document) => {
                *discovered = Discovered { document: Some((now, document.clone())), failed_at: None };
                Ok(document)
            }
            Err(error) => {
                discovered.failed_at = Some(self.clock.now());
                Err(self.unavailable(&error))
            }
        }
    }

    pub fn unavailable(&self, error: &FetchError) -> LogInFailure {
        tracing::warn!(provider = self.config.id, %error, "a provider of log-ins cannot be used");
        LogInFailure::Unavailable(self.config.name.clone())
    }

    /// Parses an address out of the discovery document.
    pub fn endpoint(&self, text: Option<&String>) -> Result<Url, LogInFailure> {
        let text = text.map_or("", String::as_str);
        fetch::endpoint(&self.config.issuer, text).map_err(|error| self.unavailable(&error))
    }

    /// The URL to which the provider sends the browser back. It must be registered at the provider.
    pub fn callback(&self, public_url: &str) -> String {
        format!("{public_url}/console/oidc/{}/callback", self.config.id)
    }

    pub async fn authorization_url(&self, log_in: &LogInState, public_url: &str) -> Result<String, LogInFailure> {
        let found = self.discover().await?;
        let mut url = self.endpoint(found.authorization_endpoint.as_ref())?;
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.config.client_id)
            .append_pair("redirect_uri", &self.callback(public_url))
            .append_pair("scope", SCOPES)
            .append_pair("state", log_in.state())
            .append_pair("nonce", &log_in.nonce)
            .append_pair("code_challenge", &log_in.challenge())
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn role(provisioning: &Provisioning, email: &str, claims: &Value) -> Option<Role> {
        provisioning.role_of(email, claims.as_object().unwrap())
    }

    #[test]
    fn people_get_accounts_by_domain_and_group_and_by_default_none_do() {
        let none = json!({});
        assert_eq!(role(&Provisioning::default(), "ada@example.com", &none), None);
        let role_map = [("agents", Role::Operator), ("admins", Role::Administrator)];
        let rules = Provisioning {
            domains: vec!["example.com".to_owned()],
            role_claim: "groups".to_owned(),
            role_map: role_map.map(|(group, role)| (group.to_owned(), role)).into(),
            default_role: None,
        };
        for (email, claims, expected) in [
            ("ada@example.com", json!({"groups": ["agents"]}), Some(Role::Operator)),
            ("ada@example.com", json!({"groups": ["agents", "admins"]}), Some(Role::Administrator)),
            ("ada@example.com", json!({"groups": "agents"}), Some(Role::Operator)),
            ("ada@example.com", json!({"groups": ["others"], "roles": ["admins"]}), None),
            ("ada@example.com", json!({"groups": {"admins": true}}), None),
            ("ada@evil.example.com", json!({"groups": ["admins"]}), None),
            ("ada@example.com.evil", json!({"groups": ["admins"]}), None),
        ] {
            assert_eq!(role(&rules, email, &claims), expected, "{email} {claims}");
        }
        let open = Provisioning { default_role: Some(Role::Trial), ..rules };
        assert_eq!(role(&open, "ada@example.com", &none), Some(Role::Trial));
        assert_eq!(role(&open, "ada@elsewhere.example", &none), None);
    }
}
