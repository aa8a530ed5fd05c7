//! Settings of applications and edges in tests.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use api::{Edge, EdgeSettings, Routes};
use app::identity::log_in::hashing::PasswordCost;
use app::messaging::channels::NetworkDirectory;
use app::{App, Config};
use channels::guard::{Guard, GuardedTransport};
use channels::outgoing::OutgoingBudget;
use channels::transport::{HttpTransport, Timeouts};
use domain::identity::networks::Networks;
use domain::identity::plans::{Family, Feature, Plan, Plans};
use domain::identity::scopes::Hierarchy;
use sandbox::Sandbox;

/// The public URL of an application with the sandbox.
pub const PUBLIC_URL: &str = "http://switchboard.test";

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
pub fn webhooks() -> app::delivery::webhooks::WebhookPolicy {
    let allowed = Networks::parse(["127.0.0.0/8", "::1/128"]).expect("networks");
    app::delivery::webhooks::WebhookPolicy::guarded(Guard { allowed }, &OutgoingBudget::default())
        .expect("an HTTP client")
}

/// Settings of an edge that answers for every host name, with this public URL.
pub fn edge_settings(public_url: &str) -> EdgeSettings {
    EdgeSettings {
        public_url: public_url.to_owned(),
        hosts: Vec::new(),
        console_hosts: Vec::new(),
        trusted_proxies: Networks::default(),
        // Long, so that no request times out on a busy machine.
        request_timeout: Duration::from_mins(3),
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

pub(crate) fn log_in() -> app::LogInConfig {
    app::LogInConfig { password_cost: PasswordCost::least(), ..Default::default() }
}

/// Without OIDC issuers, and with a limit of failed attempts that no test reaches.
pub fn config() -> Config {
    config_on(networks())
}

/// Like `config`, with this network.
pub fn config_on(networks: NetworkDirectory) -> Config {
    Config {
        plans: plans(),
        hierarchy: Hierarchy::default(),
        issuers: Vec::new(),
        failed_attempts_per_minute: 1_000_000,
        log_in: log_in(),
        networks,
        pacing: domain::messaging::pacing::Limits::default(),
        webhooks: webhooks(),
        media: app::messaging::media::MediaPolicy::default(),
        quotas: domain::base::quotas::Quotas::default(),
        retention: domain::platform::retention::Retention::default(),
        outgoing: OutgoingBudget::default(),
    }
}

/// Reaches public addresses and these private networks.
#[expect(clippy::expect_used, reason = "a test without its HTTP client must fail")]
pub fn guarded(reach: &[&str]) -> Arc<GuardedTransport> {
    let guard = Guard { allowed: Networks::parse(reach.iter().copied()).expect("networks") };
    Arc::new(GuardedTransport::new(guard, Timeouts::default()).expect("the HTTP client starts"))
}
