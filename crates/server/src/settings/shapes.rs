//! The types of settings with a structure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::secret::Secret;

/// An issuer whose tokens are for the fixed `tenant`, or for the one of `tenants` that a token names in `tenant_claim`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcIssuer {
    pub issuer: String,
    pub audience: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    #[serde(default = "default_tenant_claim")]
    pub tenant_claim: String,
    #[serde(default)]
    pub tenants: Vec<String>,
    #[serde(default = "default_role_claim")]
    pub role_claim: String,
    /// From a value of `role_claim` to a role.
    #[serde(default)]
    pub role_map: BTreeMap<String, String>,
    #[serde(default = "default_max_role")]
    pub max_role: String,
    /// Longest time from `iat` to `exp` of a token.
    #[serde(default = "default_max_lifetime_minutes")]
    pub max_lifetime_minutes: u32,
    /// The clients whose tokens are accepted. Empty: all clients of the issuer.
    #[serde(default)]
    pub clients: Vec<String>,
}

/// A provider whose people log in to the console of `tenant`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcProvider {
    pub id: String,
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    pub client_secret: Secret,
    pub tenant: String,
    /// The domains of people who may get an account. Empty: all domains.
    #[serde(default)]
    pub create_domains: Vec<String>,
    #[serde(default = "default_groups_claim")]
    pub role_claim: String,
    /// From a value of `role_claim` to the role of a new account.
    #[serde(default)]
    pub role_map: BTreeMap<String, String>,
    /// The role of a new account that `role_map` gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_role: Option<String>,
}

fn default_tenant_claim() -> String {
    "tenant_id".to_owned()
}

fn default_groups_claim() -> String {
    "groups".to_owned()
}

fn default_role_claim() -> String {
    "role".to_owned()
}

const fn default_max_lifetime_minutes() -> u32 {
    24 * 60
}

fn default_max_role() -> String {
    "OPERATOR".to_owned()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Required on purpose: a plan that only sets limits would otherwise disable all features.
    pub features: Vec<String>,
    /// `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly_calls: Option<u64>,
    /// Calls in a window of 10 seconds by family; an absent family has no limit.
    #[serde(default)]
    pub rates: BTreeMap<String, u64>,
}
