//! The application and the sandbox in one process, connected without a socket, with a manual clock. The code is the
//! same as over HTTP, except for the transport.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use api::Edge;
use app::messaging::channels::NetworkDirectory;
use app::{App, Config};
use axum::body::Body as EdgeBody;
use channels::guard::{Guard, GuardedTransport};
use channels::transport::{Body, BoxError, Timeouts, Transport, TransportError};
use domain::base::keys::Keyring;
use domain::identity::networks::Networks;
use domain::messaging::channels::{NewChannel, SANDBOX};
use domain::{TenantId, Timestamp};
use futures_util::future::BoxFuture;
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use sandbox::{Reply, Sandbox};

use crate::database::TestDb;
use crate::settings::{PUBLIC_URL, config_on, edge_settings, new_edge};
use crate::shop::Shop;

type Answered<'a> = BoxFuture<'a, Result<axum::http::Response<Body>, TransportError>>;

/// Passes requests of the application to the sandbox.
#[derive(Debug, Default)]
struct ToSandbox(OnceLock<Sandbox>);

impl Transport for ToSandbox {
    fn call(&self, request: axum::http::Request<Body>) -> Answered<'_> {
        Box::pin(async move {
            let Some(sandbox) = self.0.get() else { return Err(TransportError::Forbidden("too early".to_owned())) };
            match sandbox.graph(request).await {
                Reply::Answer(answer) => Ok(answer),
                Reply::Reset => Err(TransportError::AnswerLost("the connection was cut".into())),
            }
        })
    }
}

/// Passes webhooks of the sandbox to the edge.
#[derive(Debug, Default)]
struct ToEdge(OnceLock<Edge>);

impl Transport for ToEdge {
    fn call(&self, request: axum::http::Request<Body>) -> Answered<'_> {
        Box::pin(async move {
            let Some(edge) = self.0.get() else { return Err(TransportError::Forbidden("too early".to_owned())) };
            let peer = SocketAddr::from(([127, 0, 0, 1], 4711));
            let answer = edge.handle(request.map(EdgeBody::new), peer).await;
            Ok(answer.map(|body| body.map_err(|error| -> BoxError { error.into() }).boxed_unsync()))
        })
    }
}

/// Settings of the network for a test.
#[derive(Debug, Clone)]
pub struct NetworkSettings {
    pub seed: u64,
    pub rates: sandbox::Rates,
    pub strict: bool,
    pub pacing: domain::messaging::pacing::Limits,
    pub began: Timestamp,
    pub tenant: TenantId,
    /// Private networks from which files may be downloaded.
    pub reach: Networks,
    /// The paths that were requested from the simulated website `shop.example` (`shop.rs`).
    pub asked: Arc<Mutex<HashSet<String>>>,
    pub media: app::messaging::media::MediaPolicy,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            seed: 1,
            rates: sandbox::Rates::default(),
            strict: true,
            pacing: domain::messaging::pacing::Limits::default(),
            began: Timestamp::from_seconds(1_776_000_000),
            tenant: TenantId::from_number(100_138),
            reach: Networks::default(),
            asked: Arc::default(),
            media: app::messaging::media::MediaPolicy::default(),
        }
    }
}

pub(crate) fn sandbox_channel() -> NewChannel {
    NewChannel {
        name: "Sandbox".to_owned(),
        phone_number: "14155550100".to_owned(),
        phone_number_id: "106540352242922".to_owned(),
        account_id: "102290129340398".to_owned(),
        network: SANDBOX.to_owned(),
    }
}

pub(crate) fn wire(test: &TestDb, keyring: &Keyring, settings: &NetworkSettings) -> (App, Edge, Sandbox) {
    let (to_sandbox, to_edge) = (Arc::new(ToSandbox::default()), Arc::new(ToEdge::default()));
    let app = application(test, keyring, settings, to_sandbox.clone());
    let sandbox = Sandbox::new(
        app.clone(),
        sandbox::Config {
            seed: Some(settings.seed),
            scenario: sandbox::ScenarioName::Quiet,
            rates: settings.rates,
            strict: settings.strict,
            hook: to_edge.clone(),
            hook_url: PUBLIC_URL.to_owned(),
            hook_host: None,
            other_hook_url: None,
            browser: to_edge.clone(),
        },
    );
    let edge = new_edge(app.clone(), Some(sandbox.clone()), edge_settings(PUBLIC_URL));
    let _ = to_sandbox.0.set(sandbox.clone());
    let _ = to_edge.0.set(edge.clone());
    (app, edge, sandbox)
}

/// The application of another node on the same database and sandbox.
pub(crate) fn second_node(test: &TestDb, keyring: &Keyring, settings: &NetworkSettings, sandbox: &Sandbox) -> App {
    let to_sandbox = Arc::new(ToSandbox::default());
    let _ = to_sandbox.0.set(sandbox.clone());
    application(test, keyring, settings, to_sandbox)
}

#[expect(clippy::expect_used, reason = "a test without its application must fail")]
fn application(test: &TestDb, keyring: &Keyring, settings: &NetworkSettings, to_sandbox: Arc<ToSandbox>) -> App {
    let guard = Guard { allowed: settings.reach.clone() };
    let guarded = GuardedTransport::new(guard, Timeouts::default()).expect("the HTTP client starts");
    let shop = Shop::new(guarded, settings.asked.clone());
    let networks = NetworkDirectory::new(BTreeMap::new(), true, to_sandbox).with_guarded(Arc::new(shop));
    networks.set_sandbox("http://sandbox.test/v23.0".to_owned());
    let config = Config { pacing: settings.pacing, media: settings.media.clone(), ..config_on(networks) };
    App::new(test.db.clone(), test.clock.clone(), keyring, config).expect("the application starts")
}
