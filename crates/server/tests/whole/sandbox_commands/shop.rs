//! A business on the sandbox: a running server, a channel with known secrets, and a client that sends over it.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::process::Output;
use std::sync::Arc;
use std::time::Duration;

use channels::graph::{
    Breaker, Content, Graph, GraphError, Interaction, Interactive, NewTemplate, NumberCredentials, Outgoing, Recipient,
    ReplyButton, Secret,
};
use channels::transport::{HttpTransport, Timeouts};
use domain::messaging::messages::Message;
use domain::{BreakerSettings, ChannelId, Clock};
use serde_json::{Value, json};
use store::Db;
use store::messaging::network_reports::NetworkReport;

use crate::eventually;
use crate::home::Home;
use crate::inbound::{ACCESS_TOKEN, ACCOUNT_ID, NUMBER_ID, TENANT, add_channel};
use crate::server::Server;

/// Phone number of Ada, who also has a username.
pub const ADA: &str = "14155550132";
pub const SOCKET: &str = "data/sandbox.sock";
/// The breaker never stops requests, so that the faults of a test do not stop its later requests.
const LONG_PAUSE: BreakerSettings = BreakerSettings::steady(u32::MAX, Duration::from_secs(1));

pub struct Shop {
    pub server: Server,
    pub channel: ChannelId,
    pub graph: Graph,
    pub db: Db,
    pub home: Home,
}

impl Shop {
    pub fn open() -> Self {
        Self::open_with(&[])
    }

    /// With further settings.
    pub fn open_with(settings: &[(&str, &str)]) -> Self {
        Self::at(Home::sqlite(), settings)
    }

    pub fn at(home: Home, settings: &[(&str, &str)]) -> Self {
        let server = Server::start_with(&home, settings);
        let channel = add_channel(&home, "sandbox");
        home.run(&format!("channel update Shop --default --tenant {TENANT}"));
        let (graph, db) = (graph(&home, ACCESS_TOKEN), home.db());
        Self { server, channel, graph, db, home }
    }

    /// Kills the server and starts another one.
    pub fn killed_and_started(self) -> Self {
        let Self { server, channel, home, .. } = self;
        server.kill_9();
        let server = Server::start(&home);
        let (graph, db) = (graph(&home, ACCESS_TOKEN), home.db());
        Self { server, channel, graph, db, home }
    }

    /// JSON output of a command.
    pub fn run(&self, arguments: &str) -> Value {
        self.home.run(arguments)
    }

    /// Text output of a command.
    #[track_caller]
    pub fn text(&self, arguments: &str) -> String {
        let output = run(&self.home, arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    pub fn fails(&self, code: i32, arguments: &str) -> Failure {
        fails(&self.home, code, arguments)
    }

    /// Ada writes, which opens the window.
    pub fn greeted(self) -> Self {
        self.run(&format!("sandbox say --person {ADA} Hello"));
        self
    }

    pub async fn send(&self, content: Content) -> Result<String, GraphError> {
        let recipient = Recipient::Phone(ADA.to_owned());
        let message = Outgoing { recipient, content, reply_to: None, callback_data: None };
        Ok(self.graph.send(&message).await?.message_id)
    }

    /// Sends a message to Ada and waits until it is on her phone; returns its id.
    pub async fn reach(&self, content: Content) -> String {
        let id = self.send(content).await.unwrap();
        self.received(&id).await;
        id
    }

    /// Waits until the message is in Ada's inbox; returns it.
    pub async fn received(&self, id: &str) -> Value {
        let inbox = format!("sandbox inbox --person {ADA}");
        let found = async || self.run(&inbox)["messages"].as_array()?.iter().find(|one| one["id"] == id).cloned();
        eventually("it is in the inbox", found).await
    }

    /// Waits until the business's copy of a message satisfies the condition.
    pub async fn known(&self, network_id: &str, fits: impl Fn(&Message) -> bool) -> Message {
        eventually(&format!("{network_id} is known"), async || {
            let all =
                store::messaging::messages::of_channel(&self.db, TENANT, self.channel, "", i64::MAX).await.unwrap();
            all.into_iter().find(|one| one.network_id.as_deref() == Some(network_id) && fits(one))
        })
        .await
    }

    /// Waits for a report of the network about a subject; returns it.
    pub async fn report(&self, kind: &str, subject: &str) -> NetworkReport {
        eventually(&format!("a report of {kind}"), async || {
            store::messaging::network_reports::about(&self.db, TENANT, kind, subject).await.unwrap().pop()
        })
        .await
    }

    /// Creates a template with a reply button and a link.
    pub async fn make_template(&self, name: &str, url: &str) {
        let components = json!([
            {"type": "BODY", "text": "Spring is here."},
            {"type": "BUTTONS", "buttons": [
                {"type": "QUICK_REPLY", "text": "Stop"},
                {"type": "URL", "text": "Look", "url": url},
            ]},
        ]);
        let template = NewTemplate {
            name: name.to_owned(),
            language: "en".to_owned(),
            category: "UTILITY".to_owned(),
            parameter_format: None,
            allow_category_change: None,
            components,
        };
        self.graph.create_template(&template).await.unwrap();
    }
}

/// Error of a command.
#[derive(Debug)]
pub struct Failure {
    pub kind: String,
    pub message: String,
    pub parameter: Option<String>,
}

fn run(home: &Home, arguments: &str) -> Output {
    home.binary().args(arguments.split_whitespace()).output().unwrap()
}

/// Runs a command that must fail with this code; checks that the message is the same with and without `--json`.
#[track_caller]
pub fn fails(home: &Home, code: i32, arguments: &str) -> Failure {
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let (plain, json) = (run(home, arguments), run(home, &format!("{arguments} --json")));
    for output in [&plain, &json] {
        assert_eq!(output.status.code(), Some(code), "{arguments}: {}", said(output));
        assert!(output.stdout.is_empty(), "{arguments}");
    }
    let error: Value = serde_json::from_str(said(&json).lines().last().unwrap()).unwrap();
    let text = |member: &str| error["error"][member].as_str().map(str::to_owned);
    let failure =
        Failure { kind: text("kind").unwrap(), message: text("message").unwrap(), parameter: text("parameter") };
    assert!(failure.kind == "usage" || said(&plain) == format!("error: {}", failure.message), "{}", said(&plain));
    failure
}

/// A client with this token.
pub fn graph(home: &Home, access_token: &str) -> Graph {
    let credentials = NumberCredentials {
        phone_number_id: NUMBER_ID.to_owned(),
        account_id: ACCOUNT_ID.to_owned(),
        access_token: Secret::new(access_token),
    };
    let transport = Arc::new(HttpTransport::new(Timeouts::default()).unwrap());
    Graph::new(transport, base_url(home), credentials, Arc::new(Breaker::with_settings(Clock::system(), LONG_PAUSE)))
}

/// Base URL of the sandbox, from the control socket.
pub fn base_url(home: &Home) -> String {
    let mut stream = UnixStream::connect(home.file(SOCKET)).unwrap();
    let head = format!("host: localhost\r\nx-switchboard-tenant: {TENANT}\r\nconnection: close\r\n\r\n");
    stream.write_all(format!("GET /api/ext/v3/sandbox/graph HTTP/1.1\r\n{head}").as_bytes()).unwrap();
    let answer = std::io::read_to_string(stream).unwrap();
    let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    body["url"].as_str().unwrap().to_owned()
}

/// A question with two answers.
pub fn question() -> Content {
    let button = |title: &str| ReplyButton { id: title.to_lowercase(), title: title.to_owned() };
    interactive("Shall we?", Interaction::Buttons(vec![button("Yes"), button("No")]))
}

pub fn interactive(body: &str, interaction: Interaction) -> Content {
    let body = Some(body.to_owned());
    Content::Interactive(Box::new(Interactive { header: None, body, footer: None, interaction }))
}
