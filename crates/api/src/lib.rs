//! HTTP: the edge, the gate, the operations of V1, V2 and V3, hooks, the console's API, error bodies and the OpenAPI
//! document. It holds wire shapes; rules live in `app` and `domain`.

// Types that only descriptions name. With the feature, as in tests, the compiler still reports what is unused.
#![cfg_attr(not(feature = "document"), allow(unused_imports, dead_code))]

mod clicks;
mod console;
mod contacts;
mod control_socket;
mod conversations;
mod deleted;
mod described_as;
#[cfg(feature = "document")]
mod document;
mod edge;
mod error;
mod fallback;
mod gate;
mod hooks;
mod input;
mod list_body;
mod media;
mod memory;
mod messages;
mod ops;
mod orders;
mod page;
mod paths;
mod prelude;
mod refusal;
mod routing;
mod templates;
mod v1;
mod v2;
mod v3;

use std::sync::Arc;

use app::App;
use axum::Router;
use domain::networks::Networks;
use sandbox::Sandbox;
use tokio_util::sync::CancellationToken;

pub use control_socket::{ControlSocketApi, TENANT_HEADER};
#[cfg(feature = "document")]
pub use document::{console_openapi, openapi};
pub use edge::Edge;
pub use error::catalogue;
pub use memory::{Bounds, share_in_connection};
pub use refusal::refusal;
use routing::Operations;

/// The OpenAPI document as JSON.
#[cfg(not(feature = "document"))]
pub fn openapi() -> std::borrow::Cow<'static, str> {
    include_str!("../../../openapi/switchboard.json").into()
}

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
#[derive(Debug, Clone, serde::Serialize, domain::schema::ToSchema)]
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
    pub hook_state: Arc<hooks::HookState>,
    pub memory: memory::MemoryBudget,
    /// Cancelled when the server stops: event streams end.
    pub stop: CancellationToken,
}

/// Every operation in the OpenAPI document, each behind the gate.
fn operations_with(v3: Operations) -> Operations {
    v3.merge(v1::operations())
        .merge(v2::operations())
        .merge(clicks::operations())
        .merge(hooks::operations())
        .merge(ops::operations())
}

/// All routes, before they get a state. With the feature `document` this also collects the OpenAPI document, which takes most of an
/// edge's start; a process with several edges (the tests) builds them once and clones them.
#[derive(Debug, Clone)]
pub struct Routes {
    router: Router<ApiState>,
    v3: Router<ApiState>,
    paths: Arc<paths::Paths>,
}

impl Default for Routes {
    fn default() -> Self {
        let operations = v3::operations();
        let v3 = operations.router.clone();
        let operations = operations_with(operations);
        let documented = || operations.paths.iter().copied();
        let by_session: Vec<_> = documented().filter_map(console::operations::console_path).collect();
        let session_operations = console::session_operations();
        let by_session = by_session.iter().map(String::as_str).chain(session_operations.paths);
        let paths = documented().chain(ops::UNDOCUMENTED).chain(console::PAGES).chain(by_session);
        let paths = Arc::new(paths::Paths::new(paths));
        let router = operations.router.merge(ops::undocumented()).merge(console::pages());
        let router = router.merge(session_operations.router);
        Self { router, v3: with_fallbacks(v3), paths }
    }
}

impl Routes {
    fn with_state(self, state: &ApiState) -> (Router, Arc<paths::Paths>) {
        let v3 = self.v3.with_state(state.clone());
        let by_session = console::operations::by_session(v3);
        let router = self.router.nest_service(console::operations::CONSOLE, by_session);
        (with_fallbacks(router).with_state(state.clone()), self.paths)
    }
}

fn with_fallbacks(router: Router<ApiState>) -> Router<ApiState> {
    router.fallback(fallback::not_found).method_not_allowed_fallback(fallback::method_not_allowed)
}
