//! The typed settings that the rest of the binary reads. Owns shapes only: names, defaults and rules stand in the
//! catalogue.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::secret::{DatabaseUrl, Secret};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub listen: SocketAddr,
    /// As configured, without a trailing slash; see [`Settings::public_url`].
    pub public_url: Option<String>,
    pub data: PathBuf,
    /// `None`: the embedded database in the data folder.
    pub database: Option<DatabaseUrl>,
    pub secret_key: Option<Secret>,
    pub secret_key_file: Option<PathBuf>,
    pub secret_key_previous: Option<Secret>,
    pub server: Server,
    pub postgres: Postgres,
    pub log: Log,
    pub metrics: Metrics,
    pub telemetry: Telemetry,
    pub oidc: Oidc,
    pub scopes: Scopes,
    pub limits: Limits,
    pub events: Events,
    pub webhooks: Webhooks,
    pub sending: Sending,
    pub sandbox: Sandbox,
    /// Base URLs by name, without a trailing slash; the sandbox is not among them.
    pub networks: BTreeMap<String, String>,
    pub plans: BTreeMap<String, Plan>,
}

impl Settings {
    /// The address under which clients reach the server, without a trailing slash.
    pub fn public_url(&self) -> String {
        self.public_url_at(self.listen)
    }

    /// The same for a socket that is bound already, since port 0 in `listen` becomes a real port only then.
    pub fn public_url_at(&self, bound: SocketAddr) -> String {
        self.public_url.clone().unwrap_or_else(|| Self::local_url_at(bound))
    }

    /// The address under which the machine itself reaches that socket, whatever stands between it and clients.
    pub fn local_url_at(bound: SocketAddr) -> String {
        format!("http://{}", reachable(bound))
    }
}

/// A socket that listens on every address is reached at none of that name: the loopback address stands in.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Lower case; empty: any host.
    pub hosts: Vec<String>,
    pub trusted_proxies: Vec<IpNet>,
    pub request_timeout_seconds: u64,
    pub shutdown_seconds: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Postgres {
    pub max_connections: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    pub format: LogFormat,
    pub level: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// Without either there is no `/metrics`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    pub listen: Option<SocketAddr>,
    pub token: Option<Secret>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    pub otlp_endpoint: Option<String>,
    pub service_name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    pub issuers: Vec<OidcIssuer>,
}

/// Speaks either for the fixed `tenant`, or for those of `tenants` that its tokens name in `tenant_claim`.
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
    /// From the claim's value to a role's name.
    #[serde(default)]
    pub role_map: BTreeMap<String, String>,
    #[serde(default = "default_max_role")]
    pub max_role: String,
}

fn default_tenant_claim() -> String {
    "tenant_id".to_owned()
}

fn default_role_claim() -> String {
    "role".to_owned()
}

fn default_max_role() -> String {
    "OPERATOR".to_owned()
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scopes {
    /// Empty: the built-in hierarchy.
    pub hierarchy: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub failed_attempts_per_minute: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    pub keep_days: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    pub allow_private: Vec<IpNet>,
    pub in_flight: usize,
    pub keep_deliveries_days: u32,
}

/// Zero switches a limit off.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sending {
    pub messages_per_second: u32,
    pub pair_burst: u32,
    pub pair_seconds: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    pub enabled: bool,
    /// A loopback address.
    pub listen: SocketAddr,
    pub scenario: Scenario,
    /// Whether it refuses what is sent too fast.
    pub limits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    Quiet,
    Lively,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Has no default on purpose: a plan written only for its limits would silently switch everything off.
    pub features: Vec<String>,
    /// `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly_calls: Option<u64>,
    /// Calls in a window of 10 seconds by endpoint family; a family that is absent has no limit.
    #[serde(default)]
    pub rates: BTreeMap<String, u64>,
}
