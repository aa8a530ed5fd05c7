//! The whole application without a socket: tests call the edge directly and control the clock.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};

use api::{Edge, EdgeSettings, Routes};
use app::channels::{NetworkDirectory, Secrets};
use app::credentials::oidc::IssuerConfig;
use app::credentials::oidc::log_in::ProviderConfig;
use app::passwords::PasswordCost;
use app::tokens::NewToken;
use app::{App, Command, Config};
use axum::body::Body;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use channels::guard::{Guard, GuardedTransport};
use channels::transport::{HttpTransport, Timeouts};
use domain::channels::{Channel, NewChannel};
use domain::keys::{Keyring, SecretKey};
use domain::networks::Networks;
use domain::plans::{Family, Feature, Plan, Plans};
use domain::roles::Role;
use domain::scopes::{Hierarchy, ScopeSet};
use domain::{AccountId, TenantId, TokenId};
use http_body_util::BodyExt as _;
use sandbox::Sandbox;
use serde_json::Value;

use crate::database::TestDb;
use crate::network::{NetworkSettings, sandbox_channel, wire};

#[derive(Debug)]
pub struct TestApp {
    pub test: TestDb,
    pub app: App,
    pub sandbox: Option<Sandbox>,
    edge: Edge,
}

/// The answer to a request.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    #[expect(clippy::expect_used, reason = "a test that expects JSON fails without it")]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("the answer is JSON")
    }

    /// The machine-readable reason of an error.
    pub fn reason(&self) -> String {
        self.json()["reason"].as_str().unwrap_or_default().to_owned()
    }
}

/// Plans of the tests. `unlimited`, which tenants of tests have, has every feature but chatbots and no limits; `growth`
/// has the same features and the product's limits; `everything` has every feature and no limits; `bare` has no feature.
pub fn plans() -> Plans {
    let all = || Feature::ALL.into_iter().filter(|feature| *feature != Feature::Chatbots).collect();
    let rates = [(Family::Contacts, 10), (Family::MessagesRead, 10), (Family::TemplateSends, 30), (Family::Other, 100)];
    Plans::new([
        Plan { name: "unlimited".to_owned(), features: all(), ..Plan::default() },
        Plan { name: "growth".to_owned(), features: all(), monthly_calls: Some(10_000), rates: BTreeMap::from(rates) },
        Plan { name: "everything".to_owned(), features: Feature::ALL.into_iter().collect(), ..Plan::default() },
        Plan { name: "bare".to_owned(), ..Plan::default() },
    ])
}

/// A policy of webhook delivery that allows endpoints on this machine.
#[expect(clippy::expect_used, reason = "tests cannot go on without an HTTP client")]
pub fn webhooks() -> app::webhooks::WebhookPolicy {
    let allowed = Networks::parse(["127.0.0.0/8", "::1/128"]).expect("networks");
    app::webhooks::WebhookPolicy::guarded(Guard { allowed }).expect("an HTTP client")
}

/// Settings of an edge that answers for every host name, with this public URL.
pub fn edge_settings(public_url: &str) -> EdgeSettings {
    EdgeSettings {
        public_url: public_url.to_owned(),
        hosts: Vec::new(),
        console_hosts: Vec::new(),
        trusted_proxies: Networks::default(),
        // Long, so that no request times out on a busy machine.
        request_timeout: std::time::Duration::from_mins(3),
        traced: false,
        metrics: None,
        bounds: api::Bounds::default(),
        shown_settings: Vec::new(),
    }
}

/// An edge with the routes that all tests of the process share.
pub fn new_edge(app: App, sandbox: Option<Sandbox>, settings: EdgeSettings) -> Edge {
    static ROUTES: LazyLock<Routes> = LazyLock::new(Routes::default);
    Edge::with_routes(ROUTES.clone(), app, sandbox, settings)
}

/// The network `whatsapp` at an address where nothing listens, and the sandbox.
#[expect(clippy::expect_used, reason = "a test without its HTTP client must fail")]
pub fn networks() -> NetworkDirectory {
    let named = BTreeMap::from([("whatsapp".to_owned(), "http://127.0.0.1:9/v23.0".to_owned())]);
    let transport = HttpTransport::new(Timeouts::default()).expect("the HTTP client starts");
    NetworkDirectory::new(named, true, Arc::new(transport))
}

fn log_in() -> app::LogInConfig {
    app::LogInConfig { password_cost: PasswordCost::least(), ..Default::default() }
}

/// Without OIDC issuers, and with a limit of failed attempts that no test reaches.
pub fn config() -> Config {
    Config {
        plans: plans(),
        hierarchy: Hierarchy::default(),
        issuers: Vec::new(),
        failed_attempts_per_minute: 1_000_000,
        log_in: log_in(),
        networks: networks(),
        pacing: domain::pacing::Limits::default(),
        webhooks: webhooks(),
        media: app::media::MediaPolicy::default(),
        quotas: domain::quotas::Quotas::default(),
        retention: domain::retention::Retention::default(),
    }
}

#[expect(clippy::expect_used, reason = "a test without its application must fail")]
impl TestApp {
    pub fn new(test: TestDb) -> Self {
        Self::with_issuers(test, Vec::new())
    }

    pub fn with_issuers(test: TestDb, issuers: Vec<IssuerConfig>) -> Self {
        let keyring = Keyring::new(SecretKey::random(), None);
        Self::with(test, &keyring, issuers, edge_settings("https://switchboard.example"))
    }

    /// An application that delays answers to failed attempts beyond this number a minute.
    pub fn with_failed_attempts(test: TestDb, allowed: u32) -> Self {
        let config = Config { failed_attempts_per_minute: allowed, ..config() };
        let keyring = Keyring::new(SecretKey::random(), None);
        Self::with_config(test, &keyring, config, edge_settings("https://switchboard.example"))
    }

    /// An application that sends its mails with this mailer.
    pub fn with_mailer(test: TestDb, mailer: channels::mail::Mailer) -> Self {
        let config = Config { log_in: app::LogInConfig { mailer: Some(mailer), ..log_in() }, ..config() };
        let keyring = Keyring::new(SecretKey::random(), None);
        Self::with_config(test, &keyring, config, edge_settings("https://switchboard.example"))
    }

    /// An application whose accounts log in at these OIDC providers, which may be on this machine.
    pub fn with_providers(test: TestDb, providers: Vec<ProviderConfig>) -> Self {
        let allowed = Networks::parse(["127.0.0.0/8"]).expect("networks");
        let guarded = GuardedTransport::new(Guard { allowed }, Timeouts::default()).expect("the HTTP client starts");
        let networks = networks().with_guarded(Arc::new(guarded));
        let log_in = app::LogInConfig { providers, ..log_in() };
        let keyring = Keyring::new(SecretKey::random(), None);
        let config = Config { log_in, networks, ..config() };
        Self::with_config(test, &keyring, config, edge_settings("https://switchboard.example"))
    }

    pub fn with(test: TestDb, keyring: &Keyring, issuers: Vec<IssuerConfig>, settings: EdgeSettings) -> Self {
        Self::with_config(test, keyring, Config { issuers, ..config() }, settings)
    }

    pub fn with_config(test: TestDb, keyring: &Keyring, config: Config, settings: EdgeSettings) -> Self {
        let app = App::new(test.db.clone(), test.clock.clone(), keyring, config).expect("the application starts");
        let edge = new_edge(app.clone(), None, settings);
        Self { test, app, sandbox: None, edge }
    }

    /// An application with the sandbox, and with a channel of the sandbox for its tenant.
    pub async fn with_sandbox(test: TestDb) -> Self {
        Self::with_network(test, &NetworkSettings::default()).await
    }

    /// Like `with_sandbox`, with the test's own settings of the network.
    pub async fn with_network(test: TestDb, settings: &NetworkSettings) -> Self {
        let (app, edge, sandbox) = wire(&test, &Keyring::new(SecretKey::random(), None), settings);
        // Random, since all tests share one PostgreSQL and a sandbox finds channels by these ids.
        let network_id = || rand::random_range(100_000_000_000_000_u64..1_000_000_000_000_000).to_string();
        let new = NewChannel { phone_number_id: network_id(), account_id: network_id(), ..sandbox_channel() };
        let secret = || format!("{:032x}", rand::random::<u128>()).into();
        let secrets = Secrets { access_token: secret(), app_secret: secret(), verify_token: secret() };
        let made = app.channels().add(&Command(test.tenant), new, &secrets).await;
        made.expect("the channel is made");
        Self { test, app, sandbox: Some(sandbox), edge }
    }

    /// Passes a request to the API of the control socket.
    pub async fn send_locally(&self, request: Request<Body>) -> Answer {
        answer(self.edge.control_socket_api().handle(request).await).await
    }

    pub fn tenant(&self) -> TenantId {
        self.test.tenant
    }

    /// The edge, for tests that serve it on a socket.
    pub fn edge(&self) -> Edge {
        self.edge.clone()
    }

    /// Creates an account without a password.
    pub async fn account(&self, tenant: TenantId, email: &str, role: Role) -> AccountId {
        let new = app::accounts::NewAccount { email: email.to_owned(), name: None, role, password: None };
        self.app.accounts().create(&Command(tenant), new).await.expect("the account is made").id
    }

    /// Creates an administrator with an API token with these scopes, and returns the token's value.
    pub async fn token(&self, tenant: TenantId, scopes: &[&str]) -> String {
        let email = format!("owner-{}@example.com", AccountId::new(self.app.now()));
        let owner = self.account(tenant, &email, Role::Administrator).await;
        self.token_of(tenant, &owner.to_string(), scopes).await.1
    }

    pub async fn token_of(&self, tenant: TenantId, account: &str, scopes: &[&str]) -> (TokenId, String) {
        let new = NewToken {
            name: "test".to_owned(),
            scopes: ScopeSet::requested(scopes.iter().copied()).expect("known scopes"),
            networks: Networks::default(),
            expires_at: None,
            rate_limit: None,
        };
        let (token, value) = self.app.tokens().create(&Command(tenant), account, new).await.expect("the token is made");
        (token.id, value.reveal().to_owned())
    }

    /// Adds a channel with its own secrets, on the network where nothing listens.
    pub async fn channel(&self, tenant: TenantId, name: &str, phone_number: &str) -> (Channel, Secrets) {
        let new = NewChannel {
            name: name.to_owned(),
            phone_number: phone_number.to_owned(),
            phone_number_id: "106540352242922".to_owned(),
            account_id: "102290129340398".to_owned(),
            network: "whatsapp".to_owned(),
        };
        let secret = |of: &str| format!("{of}-of-{}", name.replace(' ', "-")).into();
        let secrets = Secrets {
            access_token: secret("access-token"),
            app_secret: secret("app-secret"),
            verify_token: secret("verify-token"),
        };
        let made = self.app.channels().add(&Command(tenant), new, &secrets).await;
        (made.expect("the channel is made"), secrets)
    }

    pub async fn get(&self, path: &str, token: &str) -> Answer {
        self.send(request("GET", path, Some(token)).body(Body::empty()).expect("a request")).await
    }

    pub async fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        self.with_json("POST", path, token, body).await
    }

    pub async fn patch(&self, path: &str, token: &str, body: &Value) -> Answer {
        self.with_json("PATCH", path, token, body).await
    }

    async fn with_json(&self, method: &str, path: &str, token: &str, body: &Value) -> Answer {
        let request = request(method, path, Some(token)).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).expect("a request")).await
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        answer(self.edge.handle(request, SocketAddr::from(([127, 0, 0, 1], 4711))).await).await
    }
}

#[expect(clippy::expect_used, reason = "a test without the whole answer must fail")]
async fn answer(response: Response<Body>) -> Answer {
    let (head, body) = response.into_parts();
    // The body of an event stream does not end, so it is not read.
    let body = if is_stream(&head.headers) { Body::empty() } else { body };
    let bytes = body.collect().await.expect("the whole answer").to_bytes();
    Answer { status: head.status, headers: head.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
}

fn is_stream(headers: &HeaderMap) -> bool {
    headers.get("content-type").is_some_and(|kind| kind == "text/event-stream")
}

pub fn request(method: &str, path: &str, token: Option<&str>) -> axum::http::request::Builder {
    let request = Request::builder().method(method).uri(path);
    match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    }
}
