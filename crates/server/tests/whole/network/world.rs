//! The network as the client sees it, and control of its people: over HTTP to a server, or inside the process. For a
//! test the two differ only in how time passes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body as HttpBody;
use axum::http::{Method, Request, Response, header};
use channels::graph::{
    Breaker, Content, Graph, GraphError, NumberCredentials, Outgoing, Recipient, Sample, Secret, Sent,
};
use channels::transport::{Body, HttpTransport, Timeouts, Transport, TransportError, full};
use domain::Clock;
use futures_util::future::BoxFuture;
use http_body_util::BodyExt as _;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use sandbox::{Reply, Sandbox};
use serde_json::{Value, json};
use testkit::{Engine, World};
use tokio::net::UnixStream;

use crate::home::Home;
use crate::server::Server;

/// Phone number of Ada, who also has a username.
pub const ADA: &str = "14155550132";
/// Username of Deepa, who has no phone number.
pub const DEEPA: &str = "deepa_rao";
pub const NUMBER_ID: &str = "106540352242922";
pub const ACCOUNT_ID: &str = "102290129340398";
const TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub struct Network {
    pub graph: Graph,
    /// Base URL and access token of the client.
    pub base_url: String,
    pub token: &'static str,
    transport: Arc<dyn Transport>,
    /// The business's phone number.
    number: &'static str,
    tenant: String,
    side: Side,
}

enum Side {
    Http(Box<Running>),
    InProcess(Box<World>),
}

/// Fields drop in this order: the server before its folder.
struct Running {
    server: Option<Server>,
    home: Home,
}

impl std::fmt::Debug for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Self::Http(_)) { "over HTTP" } else { "in process" })
    }
}

#[derive(Debug)]
struct WithoutSocket(Sandbox);

impl Transport for WithoutSocket {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            match self.0.graph(request).await {
                Reply::Answer(answer) => Ok(answer),
                Reply::Reset => Err(TransportError::AnswerLost("the connection was cut".into())),
            }
        })
    }
}

impl Network {
    pub async fn over_http() -> Self {
        let home = Home::sqlite();
        let server = Server::start(&home);
        let number = "14155550199";
        let token = "the-access-token-of-this-test";
        add_channel(&home, number, token);
        let url = exchange(&home, request(Method::GET, "graph", "100001", &Value::Null)).await;
        let base_url = url["url"].as_str().unwrap().to_owned();
        let transport = Arc::new(HttpTransport::new(Timeouts::default()).unwrap());
        let side = Side::Http(Box::new(Running { server: Some(server), home }));
        Self::new(transport, base_url, token, number, "100001".to_owned(), side)
    }

    pub async fn in_process(engine: Engine) -> Self {
        let world = World::simulated(engine).await;
        let transport = Arc::new(WithoutSocket(world.sandbox().clone()));
        let (base_url, tenant) = ("http://sandbox.test/v23.0".to_owned(), world.tenant().to_string());
        let side = Side::InProcess(Box::new(world));
        Self::new(transport, base_url, "access-token-of-simulated", "14155550100", tenant, side)
    }

    fn new(
        transport: Arc<dyn Transport>,
        base_url: String,
        token: &'static str,
        number: &'static str,
        tenant: String,
        side: Side,
    ) -> Self {
        let graph = graph(&transport, &base_url, token);
        Self { graph, base_url, token, transport, number, tenant, side }
    }

    pub fn number(&self) -> &str {
        self.number
    }

    /// A client of the same number with this token, and with a breaker of its own.
    pub fn graph_with(&self, token: &str) -> Graph {
        graph(&self.transport, &self.base_url, token)
    }

    /// Stops the server, if there is one.
    pub fn stop(&mut self) {
        if let Side::Http(running) = &mut self.side {
            running.server.take().unwrap().terminate();
        }
    }

    /// Calls one operation of the sandbox's API, which must succeed.
    pub async fn ask(&self, method: Method, path: &str, body: &Value) -> Value {
        let request = request(method, path, &self.tenant, body);
        match &self.side {
            Side::Http(running) => exchange(&running.home, request).await,
            Side::InProcess(world) => read(world.edge().control_socket_api().handle(request).await).await,
        }
    }

    pub async fn act(&self, person: &str, what: &str, body: Value) -> Value {
        self.ask(Method::POST, &format!("people/{person}/{what}"), &body).await
    }

    /// A person writes, which opens the window; returns the message's id.
    pub async fn says(&self, person: &str) -> String {
        let said = self.act(person, "say", json!({"text": "Hello", "channel": self.number})).await;
        said["id"].as_str().unwrap().to_owned()
    }

    /// A person calls the business; returns the network's id of the call.
    pub async fn calls(&self, person: &str) -> String {
        let called = self.act(person, "call", json!({"channel": self.number})).await;
        called["id"].as_str().unwrap().to_owned()
    }

    pub async fn bsuid(&self, person: &str) -> String {
        let people = self.ask(Method::GET, "people", &Value::Null).await;
        let is = |one: &&Value| one["username"] == person || one["phone"] == person;
        people["people"].as_array().unwrap().iter().find(is).unwrap()["bsuid"].as_str().unwrap().to_owned()
    }

    /// Messages on a person's phone by id: text and buttons.
    pub async fn inbox(&self, person: &str) -> BTreeMap<String, (String, Value)> {
        let inbox = self.ask(Method::GET, &format!("people/{person}/inbox?limit=200"), &Value::Null).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let messages = inbox["messages"].as_array().unwrap().iter();
        messages.map(|one| (text(&one["id"]), (text(&one["text"]), one["buttons"].clone()))).collect()
    }

    /// Waits until a message is on the person's phone; returns text and buttons.
    pub async fn arrived(&self, person: &str, id: &str) -> (String, Value) {
        self.until(id, async || self.inbox(person).await.remove(id)).await
    }

    pub async fn send(&self, recipient: Recipient, content: Content) -> Result<Sent, GraphError> {
        self.graph.send(&Outgoing { recipient, content, reply_to: None, callback_data: None }).await
    }

    /// Uploads the sample of a template; returns its handle.
    pub async fn sample(&self, extension: &str) -> String {
        let (mime, bytes) = testkit::shop::sample_file(extension, 1000).unwrap();
        let sample = Sample { name: "sample", mime, length: bytes.len() as u64 };
        let app_id = self.graph.app_id().await.unwrap();
        let from = |offset: u64| full(bytes[usize::try_from(offset).unwrap()..].to_vec());
        self.graph.upload_sample(&app_id, sample, &from).await.unwrap()
    }

    /// Polls until there is a value. In between real time passes, or the clock of the process is advanced.
    pub async fn until<T>(&self, what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            if let Some(found) = ask().await {
                return found;
            }
            match &self.side {
                Side::Http(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                Side::InProcess(world) => {
                    world.test.clock.advance(Duration::from_millis(100));
                    world.settle().await;
                }
            }
        }
        panic!("{what} did not come {:?}", self.side);
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the members that it is for may be absent")]
pub fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub fn ada() -> Recipient {
    Recipient::Phone(ADA.to_owned())
}

fn graph(transport: &Arc<dyn Transport>, base_url: &str, token: &str) -> Graph {
    let credentials = NumberCredentials {
        phone_number_id: NUMBER_ID.to_owned(),
        account_id: ACCOUNT_ID.to_owned(),
        access_token: Secret::new(token),
    };
    let breaker = Breaker::new(Clock::system());
    Graph::new(transport.clone(), base_url, credentials, Arc::new(breaker))
}

fn add_channel(home: &Home, number: &str, token: &str) {
    std::fs::write(home.file("token.txt"), token).unwrap();
    let added = home.run(&format!(
        "channel create --tenant 100001 --network sandbox --name Shop --phone-number +{number} --phone-number-id {NUMBER_ID} \
         --account-id {ACCOUNT_ID} --access-token-file token.txt"
    ));
    assert_eq!(added["network"], "sandbox");
}

fn request(method: Method, path: &str, tenant: &str, body: &Value) -> Request<HttpBody> {
    let body = if body.is_null() { HttpBody::empty() } else { HttpBody::from(body.to_string()) };
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/ext/v3/sandbox/{path}"))
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json")
        .header("x-switchboard-tenant", tenant);
    request.body(body).unwrap()
}

async fn exchange(home: &Home, request: Request<HttpBody>) -> Value {
    let stream = UnixStream::connect(home.file("data/sandbox.sock")).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    read(sender.send_request(request).await.unwrap()).await
}

async fn read<B: axum::body::HttpBody<Error: std::fmt::Debug>>(answer: Response<B>) -> Value {
    let status = answer.status();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    assert!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&bytes));
    serde_json::from_slice(&bytes).unwrap_or_default()
}
