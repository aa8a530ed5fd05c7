//! The edge: the outermost layer of the HTTP side.
//!
//! It assigns the request id, refuses foreign host names, finds the client's address behind trusted proxies, respells
//! the path, bounds the time of a request, turns panics into 500, compresses JSON, adds security headers and writes the
//! access log.
//! Every answer has `X-Request-Id`, also a refusal by the edge itself.
//!
//! Behind the edge is the router, and before each operation the gate (`gate/mod.rs`).

pub(crate) mod compression;
mod control_socket;
pub(crate) mod fallback;
pub(crate) mod memory;
pub(crate) mod paths;
mod refusal;
pub(crate) mod request_id;
pub(crate) mod timeout;

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use app::App;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Version, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use sandbox::Sandbox;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;
use tracing::Instrument as _;

use compression::{Coding, compress};
pub use control_socket::{ControlSocketApi, TENANT_HEADER};
pub use memory::{Bounds, share_in_connection};
use memory::{ConnectionMemory, MemoryBudget};
use paths::{Paths, respell};
pub use refusal::refusal;
use request_id::{REQUEST_ID, RequestId, request_id};
use timeout::with_timeout;

use crate::error::{ApiError, MALFORMED_REQUEST, WRONG_HOST};
use crate::gate::ClientAddress;
use crate::hooks::HookState;
use crate::openapi;
use crate::routes::Routes;
use crate::state::{ApiState, EdgeSettings};

/// The prefix of all paths of the console, pages and operations.
const CONSOLE: &str = "/console";

/// The whole HTTP side, ready to be served. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Edge {
    router: Router,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    paths: Arc<Paths>,
    /// Routes whose answers are never compressed.
    secret: Arc<Paths>,
    state: ApiState,
}

impl Edge {
    /// If `sandbox` is None, the operations of the sandbox answer with the error `sandbox_off`.
    pub fn new(app: App, sandbox: Option<Sandbox>, settings: EdgeSettings) -> Self {
        Self::with_routes(Routes::default(), app, sandbox, settings)
    }

    pub fn with_routes(routes: Routes, app: App, sandbox: Option<Sandbox>, settings: EdgeSettings) -> Self {
        app.set_public_url(&settings.public_url);
        let memory = MemoryBudget::for_bodies(&settings.bounds);
        let hook_state = Arc::new(HookState::new(&settings.bounds));
        let (settings, stop) = (Arc::new(settings), CancellationToken::new());
        let state = ApiState { app, sandbox, settings, hook_state, memory, openapi, stop };
        let (service, paths, secret) = routes.with_state(&state);
        Self { router: service, shared: Arc::new(Shared { paths, secret, state }) }
    }

    /// Adds pages for browsers, which need no permission. The routes of the API win over a wildcard of the pages.
    #[must_use]
    pub fn with_pages(mut self, pages: Router) -> Self {
        self.router = self.router.merge(pages.method_not_allowed_fallback(fallback::method_not_allowed));
        self
    }

    /// Ends all event streams, so that a stopping server does not wait for them.
    pub fn end_streams(&self) {
        self.shared.state.stop.cancel();
    }

    /// The router of the control socket, on the same state.
    pub fn control_socket_api(&self) -> ControlSocketApi {
        ControlSocketApi::new(self.shared.state.clone())
    }

    pub async fn handle(&self, mut request: Request<Body>, peer: SocketAddr) -> Response {
        let began = Instant::now();
        let id = request_id(request.headers());
        let settings = &self.shared.state.settings;
        let client = ClientAddress::find(peer, request.headers(), &settings.trusted_proxies);
        let described = tracing::enabled!(target: "access", tracing::Level::DEBUG)
            .then(|| format!("{} {}", request.method(), request.uri().path()));
        request.extensions_mut().insert(client);
        request.extensions_mut().insert(self.shared.state.clone());
        request.extensions_mut().insert(RequestId(id.clone()));
        let span = self.span(&request, &id);
        let connection = request.extensions().get::<ConnectionMemory>().cloned();
        let coding = self.coding(&request);
        // Requests that are made inside the process, without a socket, have no connection and often no host; they are
        // not checked.
        let response = if connection.is_some() && !has_one_host(&request) {
            ApiError::new(MALFORMED_REQUEST, "An HTTP/1.1 request must have exactly one Host header").into_response()
        } else {
            self.answer(request, settings.request_timeout).instrument(span).await
        };
        let response = compress(response, coding).await;
        let mut response = self.shared.state.memory.reserve_for_answer(response, client, connection.as_ref());
        secure(response.headers_mut(), settings.public_url.starts_with("https://"));
        log(&response, &id, client, described.as_deref(), began.elapsed());
        response.headers_mut().insert(REQUEST_ID, id);
        response
    }

    async fn answer(&self, mut request: Request<Body>, timeout: Duration) -> Response {
        let settings = &self.shared.state.settings;
        if !host_is_among(&request, &settings.hosts) {
            return ApiError::new(WRONG_HOST, "This server is not configured for this host name").into_response();
        }
        if request.uri().path().starts_with(CONSOLE) && !host_is_among(&request, &settings.console_hosts) {
            let message = "The console is not configured for this host name; set public_url to the address you use";
            return ApiError::new(WRONG_HOST, message).into_response();
        }
        if let Some(uri) = respell(&self.shared.paths, request.uri()) {
            *request.uri_mut() = uri;
        }
        let work = AssertUnwindSafe(self.router.clone().oneshot(request)).catch_unwind();
        with_timeout(work, timeout).await
    }

    fn coding(&self, request: &Request<Body>) -> Coding {
        if self.shared.secret.has(request.uri().path()) { Coding::Never } else { Coding::accepted(request.headers()) }
    }

    /// An empty span unless requests are traced: spans cost time on every request.
    fn span(&self, request: &Request<Body>, id: &HeaderValue) -> tracing::Span {
        if !self.shared.state.settings.traced {
            return tracing::Span::none();
        }
        tracing::info_span!(
            target: "switchboard::request",
            "request",
            method = %request.method(),
            path = request.uri().path(),
            request_id = id.to_str().unwrap_or_default(),
        )
    }
}

/// Whether an HTTP/1.1 request has exactly one `Host` header: of two, a proxy and this server might use different ones.
/// Other versions pass; HTTP/2 has the host in its URI.
fn has_one_host(request: &Request<Body>) -> bool {
    request.version() != Version::HTTP_11 || request.headers().get_all(header::HOST).iter().count() == 1
}

/// Security headers, each added to answers that do not set it themselves: browsers guess no content type, send no
/// referrer, show the answer in no frame and load nothing into it.
const SECURE: [(HeaderName, HeaderValue); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
];
const ONLY_HTTPS: HeaderValue = HeaderValue::from_static("max-age=31536000");

fn secure(headers: &mut HeaderMap, by_https: bool) {
    for (name, value) in SECURE {
        headers.entry(name).or_insert(value);
    }
    if by_https {
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(ONLY_HTTPS);
    }
}

/// Whether the request's host is in the list. An empty list allows every host.
fn host_is_among(request: &Request<Body>, hosts: &[String]) -> bool {
    if hosts.is_empty() {
        return true;
    }
    let header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = request.uri().authority().map(axum::http::uri::Authority::as_str).or(header) else { return false };
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |p| p.0);
    hosts.iter().any(|ours| ours.eq_ignore_ascii_case(name) || ours.eq_ignore_ascii_case(host))
}

/// Logs every server error but 503, and at the level `access=debug` every request. Bodies, queries and headers (but the
/// request id) are never logged.
fn log(response: &Response, id: &HeaderValue, client: ClientAddress, request: Option<&str>, took: Duration) {
    let (status, request_id) = (response.status(), id.to_str().unwrap_or_default());
    if status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE {
        tracing::error!(target: "access", request_id, status = status.as_u16(), "request failed");
    }
    if let Some(request) = request {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        tracing::debug!(target: "access", request_id, request, status = status.as_u16(), client = %client.0, micros);
    }
}
