//! The state that every operation gets, and the settings of the edge in it.

use std::borrow::Cow;
use std::sync::Arc;

use app::App;
use domain::identity::networks::Networks;
use sandbox::Sandbox;
use tokio_util::sync::CancellationToken;

use crate::edge::memory::{Bounds, MemoryBudget};
use crate::hooks::HookState;

/// Settings of the edge.
#[derive(Debug)]
pub struct EdgeSettings {
    /// The server's public address, such as `https://wa.example.com`. It is the origin of the console, and links are
    /// built from it. If it is https, the console's cookies are restricted to TLS.
    pub public_url: String,
    /// Host names that the server answers for; if empty, all.
    pub hosts: Vec<String>,
    /// Host names that the console answers for; if empty, all. Anyone can let a host name resolve to this server; pages
    /// under such a name must not reach the console.
    pub console_hosts: Vec<String>,
    pub trusted_proxies: Networks,
    pub request_timeout: std::time::Duration,
    /// Whether requests are traced for OpenTelemetry.
    pub traced: bool,
    /// The token for `/metrics` on this listener; without one the path does not exist.
    pub metrics: Option<Metrics>,
    pub bounds: Bounds,
    /// The settings in force, for administrators; secrets are masked.
    pub shown_settings: Vec<ShownSetting>,
}

/// A setting as administrators see it.
#[derive(Debug, Clone, serde::Serialize, domain::base::schema::ToSchema)]
#[schema(as = Setting)]
pub struct ShownSetting {
    pub name: String,
    /// Masked if the setting is a secret.
    pub value: String,
    /// `default`, `file`, `environment` or `flag`.
    pub source: &'static str,
    pub description: String,
}

/// The token that guards `/metrics`, and the function that renders the metrics as text.
pub struct Metrics {
    pub token: String,
    pub render: Box<dyn Fn() -> String + Send + Sync>,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Metrics(…)")
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ApiState {
    pub app: App,
    pub sandbox: Option<Sandbox>,
    pub settings: Arc<EdgeSettings>,
    pub hook_state: Arc<HookState>,
    pub memory: MemoryBudget,
    /// Returns the OpenAPI document as JSON. The edge passes it in: with the feature `document` it collects the
    /// document from all routes, and the operation that returns it is one of them.
    pub openapi: fn() -> Cow<'static, str>,
    /// Cancelled when the server stops: event streams end.
    pub stop: CancellationToken,
}
