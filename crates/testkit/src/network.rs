//! The application and the sandbox in one process, connected without a socket, with a manual clock. The code is the
//! same as over HTTP, except for the transport.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use api::Edge;
use app::channels::{NetworkDirectory, OpenedChannel, Secrets};
use app::{App, Command, Config};
use axum::body::Body as EdgeBody;
use channels::graph::Graph;
use channels::guard::{Guard, GuardedTransport};
use channels::transport::{Body, BoxError, Timeouts, Transport, TransportError};
use domain::channels::{Channel, NewChannel, SANDBOX};
use domain::keys::{Keyring, SecretKey};
use domain::networks::Networks;
use domain::scopes::Hierarchy;
use domain::{TenantId, Timestamp};
use futures_util::future::BoxFuture;
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use sandbox::{Reply, Sandbox};

use crate::application::{edge_settings, new_edge, plans};
use crate::database::TestDb;
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
    pub pacing: domain::pacing::Limits,
    pub began: Timestamp,
    pub tenant: TenantId,
    /// Private networks from which files may be downloaded.
    pub reach: Networks,
    /// The paths that were requested from the simulated website `shop.example` (`shop.rs`).
    pub asked: Arc<Mutex<HashSet<String>>>,
    pub media: app::media::MediaPolicy,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            seed: 1,
            rates: sandbox::Rates::default(),
            strict: true,
            pacing: domain::pacing::Limits::default(),
            began: Timestamp::from_seconds(1_776_000_000),
            tenant: TenantId::from_number(100_138),
            reach: Networks::default(),
            asked: Arc::default(),
            media: app::media::MediaPolicy::default(),
        }
    }
}

/// An application with a tenant that has one channel of the sandbox. The same settings on an empty database give the
/// same run.
#[derive(Debug)]
pub struct WiredApp {
    pub test: TestDb,
    pub app: App,
    pub edge: Edge,
    pub sandbox: Sandbox,
    pub channel: Channel,
    pub tenant: TenantId,
    keyring: Keyring,
    settings: NetworkSettings,
}

#[expect(clippy::expect_used, reason = "a test without its network must fail")]
impl WiredApp {
    /// Needs a database of its own, because the number of the tenant is fixed.
    pub async fn new(mut test: TestDb, settings: NetworkSettings) -> Self {
        test.clock = domain::Clock::manual(settings.began);
        let keyring = Keyring::new(SecretKey::random(), None);
        let (app, edge, sandbox) = wire(&test, &keyring, &settings);
        let new = app::tenants::NewTenant { name: "Simulated".to_owned(), plan: None, with_sandbox: false };
        app.tenants().create(&Command(settings.tenant), new).await.expect("the tenant is made");
        let secret = |text: &str| text.to_owned().into();
        let secrets = Secrets {
            access_token: secret("simulated-access-token"),
            app_secret: secret("simulated-app-secret"),
            verify_token: secret("simulated-verify-token"),
        };
        let made = app.channels().add(&Command(settings.tenant), sandbox_channel(), &secrets).await;
        let channel = made.expect("the channel is made");
        Self { test, app, edge, sandbox, channel, tenant: settings.tenant, keyring, settings }
    }

    /// Simulates a crash: all that is in memory is lost, all that is in the database stays.
    pub fn restart(&mut self) {
        // A new seed, because the network must not use the same ids again.
        self.settings.seed = self.settings.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.app, self.edge, self.sandbox) = wire(&self.test, &self.keyring, &self.settings);
    }

    /// The application of another node on the same database and network.
    pub fn another_node(&self) -> App {
        let to_sandbox = Arc::new(ToSandbox::default());
        let _ = to_sandbox.0.set(self.sandbox.clone());
        application(&self.test, &self.keyring, &self.settings, to_sandbox)
    }

    pub async fn opened(&self) -> OpenedChannel {
        self.app.channels().open(self.tenant, self.channel.id).await.expect("the channel is there")
    }

    pub async fn graph(&self) -> Graph {
        self.app.channels().graph(&self.opened().await).expect("the sandbox is in the list")
    }

    /// Whether the application has requested this path from `shop.example`.
    pub fn has_asked(&self, path: &str) -> bool {
        self.settings.asked.lock().contains(path)
    }

    pub fn advance(&self, by: Duration) {
        self.test.clock.advance(by);
    }

    /// Lets the sandbox post what is due, and processes the journal.
    pub async fn settle(&self) {
        self.sandbox.post_due().await.expect("the sandbox posts");
        self.app.process_inbound(&|| false).await.expect("the journal is worked off");
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
            hook_url: "http://switchboard.test".to_owned(),
            hook_host: None,
            other_hook_url: None,
            browser: to_edge.clone(),
        },
    );
    let edge = new_edge(app.clone(), Some(sandbox.clone()), edge_settings("http://switchboard.test"));
    let _ = to_sandbox.0.set(sandbox.clone());
    let _ = to_edge.0.set(edge.clone());
    (app, edge, sandbox)
}

#[expect(clippy::expect_used, reason = "a test without its application must fail")]
fn application(test: &TestDb, keyring: &Keyring, settings: &NetworkSettings, to_sandbox: Arc<ToSandbox>) -> App {
    let guard = Guard { allowed: settings.reach.clone() };
    let guarded = GuardedTransport::new(guard, Timeouts::default()).expect("the HTTP client starts");
    let shop = Shop::new(guarded, settings.asked.clone());
    let networks = NetworkDirectory::new(BTreeMap::new(), true, to_sandbox).with_guarded(Arc::new(shop));
    networks.set_sandbox("http://sandbox.test/v23.0".to_owned());
    let config = Config {
        plans: plans(),
        hierarchy: Hierarchy::default(),
        issuers: Vec::new(),
        failed_attempts_per_minute: 1_000_000,
        log_in: app::LogInConfig::default(),
        networks,
        pacing: settings.pacing,
        webhooks: crate::application::webhooks(),
        media: settings.media.clone(),
        quotas: domain::quotas::Quotas::default(),
        retention: domain::retention::Retention::default(),
    };
    App::new(test.db.clone(), test.clock.clone(), keyring, config).expect("the application starts")
}
