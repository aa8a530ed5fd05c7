//! A sandbox with a channel and two people, on a manual clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use app::messaging::channels::Secrets;
use app::{App, Command};
use channels::transport::{Body, Transport, TransportError, collect, empty, full};
use domain::base::keys::{Keyring, SecretKey};
use domain::messaging::channels::{Channel, NewChannel, SANDBOX};
use domain::{Clock, Timestamp};
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response, StatusCode};
use sandbox::{Change, Config, Fault, FaultKind, PhoneMessageView, Rates, Reply, Sandbox, fault, template};
use serde_json::{Value, json};
use store::platform::sandbox::due::{self, Due};
use store::platform::sandbox::messages::{self, Message};
use store::platform::sandbox::people::{self, Person};
use testkit::Engine;
use testkit::database::TestDb;
use testkit::world::{config_on, new_app};

pub const START: Timestamp = Timestamp::from_seconds(1_776_000_000);
pub const ADA: &str = "14155552671";
/// BSUID of Bob, who has no phone number.
pub const BOB: &str = "US.22222222222222222222";
pub const OFF: Rates = Rates { throughput: 0, pair_burst: 0, pair_seconds: 0 };

#[derive(Debug)]
pub struct Net {
    pub test: TestDb,
    pub sandbox: Sandbox,
    pub channel: Channel,
    pub token: String,
    pub clock: Clock,
    seed: u64,
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// HTTP status and Graph code of an error.
    pub fn refusal(&self) -> (u16, i64) {
        (self.status.as_u16(), self.json()["error"]["code"].as_i64().unwrap_or_default())
    }
}

/// A transport on which every request fails: these tests look at scheduled changes only.
#[derive(Debug)]
struct Nowhere;

impl Transport for Nowhere {
    fn call(&self, _: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async { Err(TransportError::NotConnected("connection refused".into())) })
    }
}

fn config(seed: u64, rates: Rates) -> Config {
    Config {
        seed: Some(seed),
        scenario: sandbox::ScenarioName::Quiet,
        rates,
        strict: true,
        hook: Arc::new(Nowhere),
        hook_url: "http://127.0.0.1:9".to_owned(),
        hook_host: None,
        other_hook_url: None,
        browser: Arc::new(Nowhere),
    }
}

fn application(test: &TestDb) -> App {
    let networks = app::messaging::channels::NetworkDirectory::new(BTreeMap::new(), true, Arc::new(Nowhere));
    // All tests of a run share one PostgreSQL database, which belongs to one key.
    let key = SecretKey::parse(&"5a".repeat(32)).unwrap();
    new_app(test, &Keyring::new(key, None), config_on(networks))
}

fn digits() -> String {
    rand::random_range(100_000_000_000_000_u64..1_000_000_000_000_000).to_string()
}

impl Net {
    pub async fn new(engine: Engine) -> Self {
        Self::with_rates(TestDb::on(engine).await, OFF).await
    }

    pub async fn with_rates(test: TestDb, rates: Rates) -> Self {
        Self::with(test, rand::random(), rates, &digits(), &digits()).await
    }

    pub async fn with(mut test: TestDb, seed: u64, rates: Rates, phone_number_id: &str, account_id: &str) -> Self {
        let clock = Clock::manual(START);
        test.clock = clock.clone();
        let app = application(&test);
        let new = NewChannel {
            name: "Lucky Shrub".to_owned(),
            phone_number: "14155550100".to_owned(),
            phone_number_id: phone_number_id.to_owned(),
            account_id: account_id.to_owned(),
            network: SANDBOX.to_owned(),
        };
        let token = format!("EAA{:032x}", rand::random::<u128>());
        let secrets = Secrets {
            access_token: token.clone().into(),
            app_secret: "app-secret".to_owned().into(),
            verify_token: "verify-token".to_owned().into(),
        };
        let channel = app.messaging().channels().add(&Command(test.tenant), new, &secrets).await.unwrap();
        let net = Self { sandbox: Sandbox::new(app, config(seed, rates)), test, channel, token, clock, seed };
        net.settle().await;
        net
    }

    async fn settle(&self) {
        let person = |position, name: &str, phone: Option<&str>, bsuid: &str, username: Option<&str>| Person {
            position,
            name: name.to_owned(),
            phone: phone.map(str::to_owned),
            bsuid: bsuid.to_owned(),
            parent_bsuid: Some(format!("US.ENT.{position}")),
            username: username.map(str::to_owned),
            created_at: START,
        };
        let all = vec![
            person(1, "Ada", Some(ADA), "US.11111111111111111111", None),
            person(2, "Bob", None, BOB, Some("bob.builder")),
        ];
        let input = (self.test.tenant, all);
        let write = self.test.db.write(input, |tx, (tenant, all)| {
            Box::pin(async move {
                for person in all {
                    people::insert(tx, *tenant, person).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        write.await.unwrap();
    }

    /// Restarts the process with the same seed.
    pub fn restart(&mut self) {
        self.sandbox = Sandbox::new(self.sandbox.app().clone(), config(self.seed, OFF));
    }

    pub fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
    }

    /// A person writes, which opens the window.
    pub async fn person_writes(&self, person: i64) -> String {
        let id = self.sandbox.ids().message();
        let said = Message {
            channel: self.channel.id,
            person,
            at: self.clock.now(),
            id: id.clone(),
            from_person: true,
            kind: "text".to_owned(),
            doc: PhoneMessageView { text: "Hello".to_owned(), ..PhoneMessageView::default() }.to_doc(),
            status: "sent".to_owned(),
            received_at: Some(self.clock.now()),
            read_at: None,
        };
        let input = (self.test.tenant, said);
        self.test.db.write(input, |tx, (tenant, said)| Box::pin(messages::insert(tx, *tenant, said))).await.unwrap();
        id
    }

    pub async fn add_fault(&self, kind: FaultKind, left: u32) {
        let fault = Fault { id: self.sandbox.ids().other("fault"), kind, person: None, left };
        let input = (self.test.tenant, fault, self.clock.now());
        let write =
            self.test.db.write(input, |tx, (tenant, fault, now)| Box::pin(fault::save(tx, *tenant, *now, fault)));
        write.await.unwrap();
    }

    pub async fn try_call(&self, request: Request<Body>) -> Option<Answer> {
        match self.sandbox.graph(request).await {
            Reply::Reset => None,
            Reply::Answer(response) => {
                let (head, body) = response.into_parts();
                let bytes = collect(body, 200 * 1024 * 1024).await.unwrap().to_vec();
                Some(Answer { status: head.status, headers: head.headers, bytes })
            }
        }
    }

    pub async fn call(&self, request: Request<Body>) -> Answer {
        self.try_call(request).await.unwrap()
    }

    pub fn request(&self, method: &str, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("/v23.0/{path}"))
            .header("host", "127.0.0.1:4711")
            .header("authorization", format!("Bearer {}", self.token))
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(self.request("GET", path).body(empty()).unwrap()).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.call(self.request("DELETE", path).body(empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = self.request("POST", path).header("content-type", "application/json");
        self.call(request.body(full(body.to_string())).unwrap()).await
    }

    /// Posts a message with the members that all messages have.
    pub async fn send(&self, to: &str, content: Value) -> Answer {
        self.post(&format!("{}/messages", self.channel.phone_number_id), &message(to, content)).await
    }

    /// Sends a message, which must be accepted; returns its id.
    pub async fn sent(&self, to: &str, content: Value) -> String {
        let answer = self.send(to, content).await;
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.bytes));
        answer.json()["messages"][0]["id"].as_str().unwrap().to_owned()
    }

    pub async fn due(&self) -> Vec<Due> {
        due::list(&self.test.db, self.test.tenant, self.channel.id, 1000).await.unwrap()
    }

    /// The scheduled changes, in order.
    pub async fn changes(&self) -> Vec<Change> {
        self.due().await.iter().map(|due| Change::from_doc(&due.doc).unwrap()).collect()
    }

    pub async fn inbox(&self, person: i64) -> Vec<Message> {
        messages::list(&self.test.db, self.test.tenant, self.channel.id, person, 100).await.unwrap()
    }

    /// Uploads the sample of a template's header; returns its handle.
    pub async fn sample(&self, mime: &str, bytes: &[u8]) -> String {
        let session = self.session(mime, bytes.len()).await;
        self.upload(&session, "0", bytes).await.json()["h"].as_str().unwrap().to_owned()
    }

    /// Opens an upload session; returns its id.
    pub async fn session(&self, mime: &str, length: usize) -> String {
        let answer =
            self.post(&format!("app/uploads?file_name=a&file_length={length}&file_type={mime}"), &json!({})).await;
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    pub async fn upload(&self, session: &str, offset: &str, bytes: &[u8]) -> Answer {
        let request = self.request("POST", session).header("file_offset", offset);
        self.call(request.body(full(bytes.to_vec())).unwrap()).await
    }

    /// Creates a template and advances the clock until it is approved; returns its id.
    pub async fn approved(&self, body: &Value) -> String {
        let answer = self.post(&format!("{}/message_templates", self.channel.account_id), body).await;
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.bytes));
        self.advance(2000);
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    pub async fn judge(&self, id: &str, status: &str) {
        let input = (self.test.tenant, id.to_owned(), status.to_owned(), self.clock.now());
        let write = self.test.db.write(input, |tx, (tenant, id, status, now)| {
            Box::pin(async move {
                let mut found = template::by_id(tx, *tenant, id).await?.ok_or(store::Error::Column(0))?;
                found.verdict = template::Verdict { at: *now, status: status.clone(), reason: "NONE".to_owned() };
                template::save(tx, *tenant, &found, *now).await
            })
        });
        write.await.unwrap();
    }
}

/// The body of a message: to a phone number, or to a BSUID if `to` contains a dot.
#[expect(clippy::needless_pass_by_value, reason = "what is made for the call reads best where it is made")]
pub fn message(to: &str, content: Value) -> Value {
    let member = if to.contains('.') { "recipient" } else { "to" };
    let mut body = json!({ "messaging_product": "whatsapp", "recipient_type": "individual", member: to });
    for (name, value) in content.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

pub fn text(body: &str) -> Value {
    json!({ "type": "text", "text": { "preview_url": false, "body": body } })
}
