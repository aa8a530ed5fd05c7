//! The world of these tests: an application and its sandbox on a manual clock; the business's hook, which keeps posted
//! webhooks and answers as the test says; and web pages for the links that people open.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::messaging::channels::{NetworkDirectory, Secrets};
use channels::signature;
use channels::transport::{Body, CallTime, Transport, TransportError, collect, empty};
use channels::webhook::{self, Notification, Record};
use domain::messaging::channels::{Channel, NewChannel, SANDBOX};
use domain::{Clock, Timestamp};
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response, StatusCode, header};
use sandbox::{Config, Rates, Reply, Sandbox};
use serde_json::{Value, json};
use testkit::database::TestDb;
use testkit::world::config_on;
use testkit::{Engine, World};

pub const START: Timestamp = Timestamp::from_seconds(1_776_000_000);
pub const ADA: &str = "14155550132";
const SECRET: &str = "the-app-secret-of-this-test";
pub const TOKEN: &str = "EAAtokenofthistest";

/// Received posts, and scripted answers.
#[derive(Debug, Default)]
pub struct Business {
    posts: Mutex<Vec<Post>>,
    answers: Mutex<VecDeque<Option<u16>>>,
}

#[derive(Debug, Clone)]
pub struct Post {
    pub uri: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// Time limit of the request.
    pub time: Option<Duration>,
}

impl Post {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The records of the body; checks the signature, and that the parser reads every record.
    pub fn records(&self) -> Vec<Record> {
        let signed = self.headers[signature::HEADER].to_str().unwrap();
        assert!(signature::verifies(SECRET.as_bytes(), &self.body, signed), "a bad signature");
        assert_eq!(self.headers[header::USER_AGENT], "facebookexternalua");
        let records = webhook::parse(&self.body).unwrap();
        for record in &records {
            let read = !matches!(record.notification, Notification::Poison { .. } | Notification::Unknown);
            assert!(read, "{:?} in {}", record.notification, String::from_utf8_lossy(&self.body));
        }
        records
    }
}

impl Business {
    /// Answers of the next posts; `None` is a failed connection.
    pub fn will_answer(&self, answers: &[Option<u16>]) {
        self.answers.lock().unwrap().extend(answers);
    }

    pub fn take(&self) -> Vec<Post> {
        std::mem::take(&mut self.posts.lock().unwrap())
    }
}

impl Transport for Business {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Some(200));
            let Some(status) = answer else { return Err(TransportError::NotConnected("connection refused".into())) };
            let (head, body) = request.into_parts();
            let body = collect(body, 10_000_000).await.unwrap().to_vec();
            let time = head.extensions.get::<CallTime>().map(|time| time.0);
            self.posts.lock().unwrap().push(Post { uri: head.uri.to_string(), headers: head.headers, body, time });
            Ok(Response::builder().status(status).body(empty()).unwrap())
        })
    }
}

/// Web pages by URL: status and redirect target.
#[derive(Debug, Default)]
pub struct Web {
    pages: Mutex<BTreeMap<String, (u16, Option<String>)>>,
    pub visits: Mutex<Vec<(String, HeaderMap)>>,
    /// URL of a page that never answers; `given_up` is the number of requests for it that were dropped.
    pub silent: Mutex<Option<String>>,
    pub given_up: Arc<AtomicUsize>,
}

/// A pending request for the page that never answers; counts itself on drop.
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Web {
    pub fn page(&self, url: &str, status: u16, leads_to: Option<&str>) {
        self.pages.lock().unwrap().insert(url.to_owned(), (status, leads_to.map(str::to_owned)));
    }
}

impl Transport for Web {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let uri = request.uri().to_string();
        self.visits.lock().unwrap().push((uri.clone(), request.headers().clone()));
        let page = self.pages.lock().unwrap().get(&uri).cloned();
        let silent = *self.silent.lock().unwrap() == Some(uri);
        let waiting = silent.then(|| Waiting(self.given_up.clone()));
        Box::pin(async move {
            let _waiting = waiting;
            if silent {
                return std::future::pending().await;
            }
            let (status, location) =
                page.ok_or_else(|| TransportError::Forbidden("the address is not public".into()))?;
            let mut response = Response::builder().status(status);
            if let Some(location) = location {
                response = response.header(header::LOCATION, location);
            }
            Ok(response.body(empty()).unwrap())
        })
    }
}

/// A world whose sandbox posts to the business, and whose people open the pages of the web.
#[derive(Debug)]
pub struct Street {
    world: World,
    pub sandbox: Sandbox,
    pub channel: Channel,
    pub business: Arc<Business>,
    pub web: Arc<Web>,
}

impl Deref for Street {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

pub async fn street(engine: Engine) -> Street {
    Street::new(engine, 7).await
}

impl Street {
    /// With a database of its own, because posting covers all tenants.
    pub async fn new(engine: Engine, seed: u64) -> Self {
        let mut test = TestDb::alone(engine).await;
        test.clock = Clock::manual(START);
        let networks = NetworkDirectory::new(BTreeMap::new(), true, Arc::new(Web::default()));
        let world = World::with_config(test, config_on(networks));
        let (business, web) = (Arc::<Business>::default(), Arc::<Web>::default());
        let sandbox = Sandbox::new(world.app.clone(), settings(seed, &business, &web));
        let channel = another_channel(&world, "14155550100").await;
        Self { world, sandbox, channel, business, web }
    }

    /// A new sandbox on the same database, as after a restart, with this seed.
    pub fn restarted(&self, seed: u64) -> Sandbox {
        Sandbox::new(self.app.clone(), settings(seed, &self.business, &self.web))
    }

    /// The same sandbox with another address for its webhooks.
    pub fn posting_to(&self, url: &str) -> Sandbox {
        let settings = settings(7, &self.business, &self.web);
        Sandbox::new(self.app.clone(), Config { other_hook_url: Some(url.to_owned()), ..settings })
    }

    /// Posts due changes; returns what arrived.
    pub async fn posts(&self) -> Vec<Post> {
        self.sandbox.post_due().await.unwrap();
        self.business.take()
    }

    pub async fn records(&self) -> Vec<Record> {
        self.posts().await.iter().flat_map(Post::records).collect()
    }

    /// The business sends a message, which must be accepted; returns its id.
    pub async fn send_message(&self, message: Value) -> String {
        let sent = self.ask_graph(&format!("{}/messages", self.channel.phone_number_id), message).await;
        sent["messages"][0]["id"].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned()
    }

    pub async fn ask_graph(&self, path: &str, mut body: Value) -> Value {
        if let Some(body) = body.as_object_mut() {
            body.insert("messaging_product".to_owned(), json!("whatsapp"));
        }
        let request = Request::post(format!("http://sandbox/v23.0/{path}"))
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("content-type", "application/json")
            .body(channels::transport::full(body.to_string()))
            .unwrap();
        let Reply::Answer(response) = self.sandbox.graph(request).await else { panic!("reset") };
        serde_json::from_slice(&collect(response.into_body(), 1_000_000).await.unwrap()).unwrap()
    }

    pub async fn look_up(&self, path: &str) -> (StatusCode, Value) {
        let request = Request::get(format!("http://sandbox/v23.0/{path}"))
            .header("authorization", format!("Bearer {TOKEN}"))
            .body(empty())
            .unwrap();
        let Reply::Answer(response) = self.sandbox.graph(request).await else { panic!("reset") };
        let status = response.status();
        (status, serde_json::from_slice(&collect(response.into_body(), 1_000_000).await.unwrap()).unwrap())
    }

    pub async fn says(&self, text: &str) -> String {
        let say = sandbox::driver::Say { text: Some(text.to_owned()), ..Default::default() };
        self.sandbox.say(self.tenant(), ADA, say).await.unwrap().id
    }
}

pub async fn another_channel(world: &World, number: &str) -> Channel {
    let new = NewChannel {
        name: format!("Shop {number}"),
        phone_number: number.to_owned(),
        phone_number_id: format!("1{number}"),
        account_id: format!("2{number}"),
        network: SANDBOX.to_owned(),
    };
    let secrets = Secrets {
        access_token: TOKEN.to_owned().into(),
        app_secret: SECRET.to_owned().into(),
        verify_token: "verify-token".to_owned().into(),
    };
    world.insert_channel(world.tenant(), new, secrets).await.0
}

fn settings(seed: u64, business: &Arc<Business>, web: &Arc<Web>) -> Config {
    Config {
        seed: Some(seed),
        scenario: sandbox::ScenarioName::Quiet,
        rates: Rates { throughput: 0, pair_burst: 0, pair_seconds: 0 },
        strict: true,
        hook: business.clone(),
        hook_url: "http://127.0.0.1:9".to_owned(),
        hook_host: Some("switchboard.example".to_owned()),
        other_hook_url: None,
        browser: web.clone(),
    }
}

/// Texts of the messages among these records, in order.
pub fn texts(records: &[Record]) -> Vec<String> {
    let text = |record: &Record| match &record.notification {
        Notification::Message(message) => message.text.clone(),
        _ => None,
    };
    records.iter().filter_map(text).collect()
}

/// The status that a record reports, if it is one of a message.
pub fn state(record: &Record) -> Option<String> {
    match &record.notification {
        Notification::Status(status) => Some(status.reported.clone()),
        _ => None,
    }
}
