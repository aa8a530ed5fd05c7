//! The whole application without a socket: tests call the edge directly and control the clock.

use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Duration;

use api::{Edge, EdgeSettings};
use app::identity::credentials::oidc::log_in::ProviderConfig;
use app::identity::tokens::NewToken;
use app::messaging::channels::Secrets;
use app::messaging::inbound::Refused;
use app::messaging::messages::{SendProgress, SendingAccount};
use app::messaging::templates::TemplateCreation;
use app::people::contacts::NewContact;
use app::{App, Command, Config};
use axum::body::Body;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use channels::graph::Graph;
use channels::signature;
use domain::base::keys::{Keyring, SecretKey};
use domain::delivery::events::{Event, EventType, EventTypes};
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::messaging::channels::{Channel, NewChannel};
use domain::messaging::messages::Message;
use domain::messaging::templates::{NewTemplate, Template};
use domain::people::contacts::Contact;
use domain::{AccountId, ChannelId, MessageId, TenantId, Timestamp, TokenId};
use http_body_util::BodyExt as _;
use sandbox::Sandbox;
use sandbox::driver::{InboxMessage, Say};
use serde_json::Value;
use store::Engine;
use store::messaging::inbound::ParkedRecord;
use store::platform::sandbox::people::Person;

use crate::database::TestDb;
use crate::network::{NetworkSettings, sandbox_channel, second_node, wire};
use crate::settings::log_in;
pub use crate::settings::{PUBLIC_URL, config, config_on, edge_settings, guarded, networks, new_edge, plans, webhooks};

/// An application with a tenant that only this test uses. The worlds with a network also have a channel of it.
#[derive(Debug)]
pub struct World {
    pub test: TestDb,
    pub app: App,
    /// The token of `get`, `post` and the like. Empty until `with_token`.
    pub token: String,
    pub edge: Edge,
    keyring: Keyring,
    channel: Option<(Channel, Secrets)>,
    network: Option<(Sandbox, NetworkSettings)>,
}

/// Base of the traits that give a world what the tests of one area share: `trait Talks: OnWorld` with provided methods
/// that take `self`, and `impl Talks for &World {}`.
pub trait OnWorld: Deref<Target = World> + Copy {}

impl OnWorld for &World {}

/// Makes the requests of one client of the API.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    world: &'a World,
    token: &'a str,
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

    /// The JSON of a successful answer.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    /// The machine-readable reason of an error.
    pub fn reason(&self) -> String {
        self.json()["reason"].as_str().unwrap_or_default().to_owned()
    }
}

fn secrets(of: &str) -> Secrets {
    let secret = |kind: &str| format!("{kind}-of-{of}").into();
    Secrets {
        access_token: secret("access-token"),
        app_secret: secret("app-secret"),
        verify_token: secret("verify-token"),
    }
}

#[expect(clippy::expect_used, reason = "a test without its application must fail")]
pub fn new_app(test: &TestDb, keyring: &Keyring, config: Config) -> App {
    App::new(test.db.clone(), test.clock.clone(), keyring, config).expect("the application starts")
}

/// Worlds without a network: the channels that `add_channel` makes are on one where nothing listens.
impl World {
    pub async fn new(engine: Engine) -> Self {
        Self::on(TestDb::on(engine).await)
    }

    /// On a database of its own, for code that works across tenants.
    pub async fn alone(engine: Engine) -> Self {
        Self::on(TestDb::alone(engine).await)
    }

    /// With a token for the whole API.
    pub async fn with_api_token(engine: Engine) -> Self {
        Self::new(engine).await.with_token(&["api"]).await
    }

    pub fn on(test: TestDb) -> Self {
        Self::with_config(test, config())
    }

    pub fn with_config(test: TestDb, config: Config) -> Self {
        Self::with_keyring(test, Keyring::new(SecretKey::random(), None), config)
    }

    pub fn with_keyring(test: TestDb, keyring: Keyring, config: Config) -> Self {
        let app = new_app(&test, &keyring, config);
        let edge = new_edge(app.clone(), None, edge_settings("https://switchboard.example"));
        Self { test, app, token: String::new(), edge, keyring, channel: None, network: None }
    }

    pub fn with_edge(test: TestDb, settings: EdgeSettings) -> Self {
        let mut world = Self::on(test);
        world.edge = new_edge(world.app.clone(), None, settings);
        world
    }

    /// Sends its mails with this mailer.
    pub fn with_mailer(test: TestDb, mailer: channels::mail::Mailer) -> Self {
        Self::with_config(test, Config { log_in: app::LogInConfig { mailer: Some(mailer), ..log_in() }, ..config() })
    }

    /// Accounts log in at these OIDC providers, which may be on this machine.
    pub fn with_providers(test: TestDb, providers: Vec<ProviderConfig>) -> Self {
        let networks = networks().with_guarded(guarded(&["127.0.0.0/8"]));
        Self::with_config(test, Config { log_in: app::LogInConfig { providers, ..log_in() }, networks, ..config() })
    }
}

/// Worlds whose network is the sandbox, without a socket between them.
#[expect(clippy::expect_used, reason = "a test without its network must fail")]
impl World {
    /// On a database of its own, because the sandbox posts for all tenants. The same run each time: the clock, the
    /// tenant, the ids and the secrets of the channel are always the same.
    pub async fn simulated(engine: Engine) -> Self {
        Self::simulation(TestDb::alone(engine).await, NetworkSettings::default()).await
    }

    /// Like `simulated`, with the test's own settings and database.
    pub async fn simulation(mut test: TestDb, settings: NetworkSettings) -> Self {
        test.clock = domain::Clock::manual(settings.began);
        test.tenant = settings.tenant;
        test.insert_tenant(settings.tenant, "unlimited").await;
        Self::wired(test, settings, sandbox_channel(), secrets("simulated")).await
    }

    pub async fn with_sandbox(engine: Engine) -> Self {
        Self::with_network(TestDb::on(engine).await, NetworkSettings::default()).await
    }

    /// Has random ids, since all tests share one PostgreSQL and a sandbox finds channels by them.
    pub async fn with_network(test: TestDb, settings: NetworkSettings) -> Self {
        let id = || rand::random_range(100_000_000_000_000_u64..1_000_000_000_000_000).to_string();
        let channel = NewChannel { phone_number_id: id(), account_id: id(), ..sandbox_channel() };
        let secrets = secrets(&format!("{:032x}", rand::random::<u128>()));
        Self::wired(test, settings, channel, secrets).await
    }

    async fn wired(test: TestDb, settings: NetworkSettings, new: NewChannel, secrets: Secrets) -> Self {
        let keyring = Keyring::new(SecretKey::random(), None);
        let (app, edge, sandbox) = wire(&test, &keyring, &settings);
        let network = Some((sandbox, settings));
        let mut world = Self { test, app, token: String::new(), edge, keyring, channel: None, network };
        world.channel = Some(world.insert_channel(world.tenant(), new, secrets).await);
        world
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.network.as_ref().expect("a world with a network").0
    }

    pub fn has_sandbox(&self) -> bool {
        self.network.is_some()
    }

    pub async fn graph(&self) -> Graph {
        let opened =
            self.app.messaging().channels().open(self.tenant(), self.channel().id).await.expect("the channel is there");
        self.app.messaging().channels().graph(&opened).expect("the sandbox is in the list")
    }

    /// Simulates a crash: all that is in memory is lost, all that is in the database stays.
    pub fn restart(&mut self) {
        let (sandbox, settings) = self.network.as_mut().expect("a world with a network");
        // A new seed, because the network must not use the same ids again.
        settings.seed = settings.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.app, self.edge, *sandbox) = wire(&self.test, &self.keyring, settings);
    }

    /// The application of another node on the same database and network.
    pub fn another_node(&self) -> App {
        match &self.network {
            Some((sandbox, settings)) => second_node(&self.test, &self.keyring, settings, sandbox),
            None => App::new(self.test.another_handle(), self.test.clock.clone(), &self.keyring, config())
                .expect("the application starts"),
        }
    }

    /// Whether the application has requested this path from `shop.example`.
    pub fn has_asked(&self, path: &str) -> bool {
        self.network.as_ref().is_some_and(|(_, settings)| settings.asked.lock().contains(path))
    }

    /// Lets the sandbox post what is due, and processes the journal.
    pub async fn settle(&self) {
        self.sandbox().post_due().await.expect("the sandbox posts");
        self.process_inbound().await;
    }

    /// Advances the clock and processes what the network posts in that time.
    pub async fn later(&self, seconds: u64) {
        self.advance(seconds);
        self.settle().await;
    }

    /// A person writes, which opens the window.
    pub async fn say(&self, person: &str, text: &str) {
        let say = Say { text: Some(text.to_owned()), ..Say::default() };
        self.sandbox().say(self.tenant(), person, say).await.expect("the person writes");
        self.later(2).await;
    }

    /// The messages that a person has received, the newest last.
    pub async fn received(&self, person: &str) -> Vec<InboxMessage> {
        self.sandbox().inbox(self.tenant(), person, 100).await.expect("the person has a phone").messages
    }

    /// Adds people to the sandbox, each with a number of its own, and returns the numbers.
    pub async fn crowd(&self, count: usize) -> Vec<String> {
        let phones: Vec<String> = (0..count).map(|i| format!("1212{}", 2_000_000 + i)).collect();
        let created_at = self.app.now();
        let people = phones.iter().zip(1000..).map(|(phone, position)| Person {
            position,
            name: format!("Person {position}"),
            phone: Some(phone.clone()),
            bsuid: format!("US.{position:020}"),
            parent_bsuid: None,
            username: None,
            created_at,
        });
        let input = (self.tenant(), people.collect::<Vec<_>>());
        let write = self.app.db().write(input, |tx, (tenant, people): &(TenantId, Vec<Person>)| {
            Box::pin(async move {
                for person in people {
                    store::platform::sandbox::people::insert(tx, *tenant, person).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        write.await.expect("the people are stored");
        phones
    }

    /// The one network account of the business, even when no message is due.
    pub fn sending_account(&self) -> SendingAccount {
        let channel = self.channel();
        SendingAccount { tenant: self.tenant(), account_id: channel.account_id.clone(), channels: vec![channel.id] }
    }

    /// Sends every message that may leave now.
    pub async fn leave(&self) -> SendProgress {
        self.app.messaging().send_due(&self.sending_account(), &|| false).await.expect("the sender runs")
    }

    /// Sends every message, advancing the clock as far as needed.
    pub async fn drain(&self) {
        loop {
            match self.leave().await {
                SendProgress::Until(at) => self.wait_until(at),
                SendProgress::Empty => return,
                SendProgress::Elsewhere => panic!("another node sends"),
            }
        }
    }
}

#[expect(clippy::expect_used, reason = "a test without its application must fail")]
impl World {
    pub fn tenant(&self) -> TenantId {
        self.test.tenant
    }

    /// The caller of use cases.
    pub fn me(&self) -> Command {
        Command(self.test.tenant)
    }

    pub fn now(&self) -> Timestamp {
        self.app.now()
    }

    pub fn advance(&self, seconds: u64) {
        self.test.clock.advance(Duration::from_secs(seconds));
    }

    pub fn wait_until(&self, at: Timestamp) {
        let micros = at.micros() - self.now().micros();
        self.test.clock.advance(Duration::from_micros(u64::try_from(micros).unwrap_or(0).max(1)));
    }

    /// The edge, for tests that serve it on a socket.
    pub fn edge(&self) -> Edge {
        self.edge.clone()
    }

    pub async fn process_inbound(&self) {
        self.app.messaging().process_inbound(&|| false).await.expect("the journal is worked off");
    }

    /// All events of these types so far, after numbering the log.
    pub async fn events(&self, types: EventTypes) -> Vec<Event> {
        while self.app.delivery().events().number_log(self.tenant()).await.expect("the log is numbered") {}
        self.app.delivery().events().pull(&self.me(), 0, types, 1_000_000).await.expect("the log is read").events
    }

    /// The payloads of all events of these types.
    pub async fn payloads(&self, types: &[EventType]) -> Vec<Value> {
        let events = self.events(types.iter().copied().collect()).await;
        events.iter().map(|event| serde_json::from_str(event.payload()).expect("a payload is JSON")).collect()
    }

    /// The records that could not be processed, the newest first.
    pub async fn parked(&self) -> Vec<ParkedRecord> {
        self.app.messaging().inbound().parked(&self.me(), 1000).await.expect("the records are read")
    }

    pub async fn message(&self, id: MessageId) -> Message {
        store::messaging::messages::find(self.app.db(), self.tenant(), id).await.expect("a row").expect("a message")
    }

    pub async fn contact(&self, number: &str, name: &str) -> Contact {
        let new = NewContact {
            target: number.to_owned(),
            name: name.to_owned(),
            custom_params: Vec::new(),
            source: None,
            own_in_params: false,
        };
        self.app.people().contacts().add(&self.me(), new).await.expect("the contact is made")
    }

    /// Creates a template; a world with a network approves it some seconds later.
    pub async fn create_template(&self, channel: Option<&str>, template: NewTemplate) -> app::Result<Template> {
        let channel = channel.map(str::to_owned);
        let input = TemplateCreation { channel, template, public_url: Some(PUBLIC_URL.to_owned()) };
        self.app.messaging().templates().create(&self.me(), input).await
    }

    /// Creates an account without a password.
    pub async fn account(&self, tenant: TenantId, email: &str, role: Role) -> AccountId {
        let new = app::identity::accounts::NewAccount { email: email.to_owned(), name: None, role, password: None };
        self.app.identity().accounts().create(&Command(tenant), new).await.expect("the account is made").id
    }

    /// Uses a new token with these scopes from now on.
    pub async fn with_token(mut self, scopes: &[&str]) -> Self {
        self.token = self.token(self.tenant(), scopes).await;
        self
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
        let (token, value) =
            self.app.identity().tokens().create(&Command(tenant), account, new).await.expect("the token is made");
        (token.id, value.reveal().to_owned())
    }

    /// Adds a channel with its own secrets, on the network where nothing listens.
    pub async fn add_channel(&self, tenant: TenantId, name: &str, phone_number: &str) -> (Channel, Secrets) {
        let new = NewChannel {
            name: name.to_owned(),
            phone_number: phone_number.to_owned(),
            network: "whatsapp".to_owned(),
            ..sandbox_channel()
        };
        self.insert_channel(tenant, new, secrets(&name.replace(' ', "-"))).await
    }

    pub async fn insert_channel(&self, tenant: TenantId, new: NewChannel, secrets: Secrets) -> (Channel, Secrets) {
        let made = self.app.messaging().channels().add(&Command(tenant), new, &secrets).await;
        (made.expect("the channel is made"), secrets)
    }

    /// Adds the channel of a world without a network.
    pub async fn with_channel(mut self, name: &str, phone_number: &str) -> Self {
        self.channel = Some(self.add_channel(self.tenant(), name, phone_number).await);
        self
    }

    /// Adds a second channel on the sandbox, with an account of its own.
    pub async fn second_channel(&self, tenant: TenantId) -> (Channel, Secrets) {
        let new = NewChannel {
            name: "Second".to_owned(),
            phone_number: "14155550101".to_owned(),
            phone_number_id: "106540352242923".to_owned(),
            account_id: "102290129340399".to_owned(),
            ..sandbox_channel()
        };
        self.insert_channel(tenant, new, secrets("second")).await
    }

    pub fn channel(&self) -> &Channel {
        &self.channel.as_ref().expect("a world with a channel").0
    }

    /// The secrets of the channel.
    pub fn secrets(&self) -> &Secrets {
        &self.channel.as_ref().expect("a world with a channel").1
    }

    /// Posts a body with the channel's signature, as the network does.
    pub async fn post_hook(&self, body: Vec<u8>) -> Result<(), Refused> {
        self.post_hook_of(self.channel().id, body, &self.secrets().app_secret).await
    }

    pub async fn post_hook_of(&self, channel: ChannelId, body: Vec<u8>, app_secret: &str) -> Result<(), Refused> {
        let signed = signature::sign(app_secret.as_bytes(), &body);
        self.app.messaging().inbound().signed_post(channel, Some(&signed)).await?.accept(body).await
    }

    /// A client with another token.
    pub const fn by<'a>(&'a self, token: &'a str) -> Client<'a> {
        Client { world: self, token }
    }

    fn client(&self) -> Client<'_> {
        self.by(&self.token)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.client().get(path).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.client().post(path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.client().put(path, body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.client().delete(path).await
    }

    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.client().call(method, path, body).await
    }

    pub async fn raw(&self, method: &str, path: &str, mime: &str, body: impl Into<Body>) -> Answer {
        self.client().raw(method, path, mime, body).await
    }

    /// A POST that succeeds.
    pub async fn good(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.ok()
    }

    /// The path of an operation of V1.
    pub fn v1(&self, operation: &str) -> String {
        format!("/{}/api/v1/{operation}", self.tenant())
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        answer(self.edge.handle(request, SocketAddr::from(([127, 0, 0, 1], 4711))).await).await
    }

    /// Passes a request to the API of the control socket.
    pub async fn send_locally(&self, request: Request<Body>) -> Answer {
        answer(self.edge.control_socket_api().handle(request).await).await
    }
}

impl Client<'_> {
    pub async fn get(&self, path: &str) -> Answer {
        self.bare("GET", path).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.call("PUT", path, body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.bare("DELETE", path).await
    }

    /// A request without a body.
    #[expect(clippy::expect_used, reason = "a test without its request must fail")]
    pub async fn bare(&self, method: &str, path: &str) -> Answer {
        self.world.send(request(method, path, Some(self.token)).body(Body::empty()).expect("a request")).await
    }

    pub async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.raw(method, path, "application/json", body.to_string()).await
    }

    #[expect(clippy::expect_used, reason = "a test without its request must fail")]
    pub async fn raw(&self, method: &str, path: &str, mime: &str, body: impl Into<Body>) -> Answer {
        let request = request(method, path, Some(self.token)).header("content-type", mime);
        self.world.send(request.body(body.into()).expect("a request")).await
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
