//! `switchboard listen`, `trigger` and `resend` beside a running server.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use domain::Timestamp;
use domain::delivery::events::{EventType, FactKind};
use domain::delivery::webhooks::{Secret, signature};
use serde_json::{Value, json};
use testkit::receiver::{Post, Receiver, Reply};
use tokio::net::{TcpListener, TcpStream};

use crate::home::Home;
use crate::server::Server;
use crate::{eventually, http};

const PRIVATE: (&str, &str) = ("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8");
const TIMEOUT: Duration = Duration::from_mins(1);

/// `switchboard listen --json`, which runs until it is dropped; `lines` are its output, `notes` its standard error.
struct Listener {
    child: Child,
    lines: mpsc::Receiver<Value>,
    notes: mpsc::Receiver<String>,
}

impl Listener {
    fn start(home: &Home, arguments: &str, token: Option<&str>) -> Self {
        let mut command = home.binary();
        command.arg("listen").args(arguments.split_whitespace()).arg("--json");
        command.env("HOME", home.file("")).env_remove("XDG_CONFIG_HOME");
        if let Some(token) = token {
            command.env("SWITCHBOARD_TOKEN", token);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = out.send(serde_json::from_str(&line).unwrap());
            }
        });
        let (err, notes) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = err.send(line);
            }
        });
        Self { child, lines, notes }
    }

    #[track_caller]
    fn line(&self) -> Value {
        self.lines.recv_timeout(TIMEOUT).unwrap()
    }

    /// The next line about an event of this type.
    #[track_caller]
    fn event(&self, kind: &str) -> Value {
        loop {
            let line = self.line();
            if line["type"] == kind {
                return line;
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_signed(post: &Post, secret: &str) -> bool {
    let secret = Secret::parse(secret).unwrap();
    let at = Timestamp::from_seconds(post.header("webhook-timestamp").parse().unwrap());
    post.header("webhook-signature") == signature([&secret], post.id().parse().unwrap(), at, &post.body)
}

fn post_of<'a>(posts: &'a [Post], line: &Value) -> &'a Post {
    posts.iter().find(|post| line["id"] == post.id()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_the_data_folder_are_forwarded_signed_with_a_secret_that_stays() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[PRIVATE]);
    let receiver = Receiver::start().await;
    let arguments = format!("--forward-to {} --events message,call.status", receiver.url("/hook"));
    let listener = Listener::start(&home, &arguments, None);
    let start = listener.line();
    let secret = start["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_") && start["after"].is_i64(), "{start}");
    let done = home.run("trigger message");
    assert_eq!((&done["type"], &done["how"]), (&json!("message"), &json!("sandbox")), "{done}");
    let line = listener.event("message");
    assert_eq!((&line["response_status"], &line["error"]), (&json!(200), &json!(null)), "{line}");
    let posts = receiver.posts();
    let post = post_of(&posts, &line);
    assert!(post.path == "/hook" && is_signed(post, &secret));
    assert_eq!((post.header("content-type"), post.json()["eventType"].as_str()), ("application/json", Some("message")));
    assert!(post.header("user-agent").starts_with("switchboard/"));
    home.run("trigger call.status");
    assert!(listener.event("call.status")["number"].as_i64() > line["number"].as_i64());
    assert!(
        receiver.posts().iter().all(|post| post.json()["eventType"] != "message_bsuid"),
        "only the types asked for"
    );
    drop(listener);
    let again = Listener::start(&home, &format!("{arguments} --after 0"), None);
    assert_eq!(again.line()["secret"], secret.as_str());
    assert_eq!(again.event("message")["id"], line["id"], "the log from its beginning");
    drop(server);
}

/// An address that stays, in front of a server that changes.
struct Front {
    address: SocketAddr,
    server: Arc<Mutex<SocketAddr>>,
}

impl Front {
    async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Arc::new(Mutex::new(server));
        let present = Arc::clone(&server);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let target = *present.lock().unwrap();
                tokio::spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(target).await {
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
        Self { address, server }
    }
}

async fn record_call(server: &Server, token: &str, n: u32) {
    let body = json!({"call_id": format!("pbx-{n}"), "direction": "inbound", "from_number": "14155552671",
        "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z"});
    let answer = http().post(server.url("/api/ext/v3/calls")).bearer_auth(token).json(&body).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_followed_across_its_restart_without_a_gap() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[PRIVATE]);
    let (token, front) = (server.token(), Front::start(server.address).await);
    let receiver = Receiver::answering(|post| Reply::Status(if post.body.contains("pbx-2") { 500 } else { 204 })).await;
    let elsewhere = Home::sqlite();
    let to = receiver.url("/");
    let arguments = format!("--forward-to {to} --server http://{} --events call.status", front.address);
    let listener = Listener::start(&elsewhere, &arguments, Some(&token));
    let secret = listener.line()["secret"].as_str().unwrap().to_owned();
    assert!(elsewhere.file(".config/switchboard/listen.secret").exists() && !elsewhere.file("data").exists());
    record_call(&server, &token, 1).await;
    let first = listener.line();
    assert!(first["response_status"] == 204 && is_signed(post_of(&receiver.posts(), &first), &secret));
    record_call(&server, &token, 2).await;
    let failed = listener.line();
    assert_eq!((&failed["response_status"], &failed["error"]), (&json!(500), &json!("answered 500")), "{failed}");
    server.terminate();
    assert!(listener.notes.recv_timeout(TIMEOUT).unwrap().contains("Events interrupted"));
    let server = Server::start_with(&home, &[PRIVATE]);
    // This call is recorded before the listener is connected again; the listener must not miss it.
    record_call(&server, &token, 3).await;
    *front.server.lock().unwrap() = server.address;
    let third = listener.line();
    assert_eq!(third["number"].as_i64().unwrap(), failed["number"].as_i64().unwrap() + 1, "{third}");
    assert_eq!(receiver.posts().len(), 3, "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_use_is_explained() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[PRIVATE]);
    let fails = |arguments: &str, token: &str| -> String {
        let mut command = home.binary();
        command.args(arguments.split_whitespace()).env("SWITCHBOARD_TOKEN", token);
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{arguments}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let url = format!("--server http://{}", server.address);
    for (arguments, token, said) in [
        ("listen --forward-to nonsense".to_owned(), "", "not a URL"),
        ("listen --forward-to http://127.0.0.1:9/ --events mesage".to_owned(), "", "did you mean message"),
        ("listen --forward-to http://127.0.0.1:9/ --after 999999".to_owned(), "", "the log ends at"),
        (format!("listen --forward-to http://127.0.0.1:9/ {url}"), "swb_wrong", "does not accept the token"),
        ("listen --forward-to http://127.0.0.1:9/ --server http://127.0.0.1:9".to_owned(), "x", "cannot be followed"),
        ("trigger mesage".to_owned(), "", "did you mean message"),
        ("resend 507f1f77bcf86cd799439011".to_owned(), "", "delivery not found"),
    ] {
        let error = fails(&arguments, token);
        assert!(error.contains(said), "{arguments}: {error}");
        assert!(!error.contains("swb_wrong"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_type_is_caused_without_a_webhook() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[PRIVATE]);
    let mut missing: std::collections::BTreeSet<&str> = EventType::for_webhooks().map(EventType::name).collect();
    assert_eq!(missing.len(), 30);
    // One type of each fact; the others of the fact follow from it.
    for fact in FactKind::ALL.iter().filter(|fact| fact.event_types()[0].is_for_webhooks()) {
        let kind = fact.event_types()[0].name();
        let done = home.run(&format!("trigger {kind}"));
        assert!(done["how"] == "sandbox" || done["how"] == "sample", "{done}");
    }
    let path = server.url("/api/ext/v3/events?after=0&limit=500");
    eventually("all types are in the log", async || {
        let page: Value = http().get(&path).bearer_auth(server.token()).send().await.unwrap().json().await.unwrap();
        for event in page["events"].as_array().into_iter().flatten() {
            missing.remove(event["type"].as_str().unwrap_or_default());
        }
        missing.is_empty().then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_sandbox_cannot_cause_is_a_sample_and_a_delivery_is_sent_again() {
    let home = Home::sqlite();
    // The command posts the test event itself, so it needs the setting as the server does.
    std::fs::write(home.file("switchboard.toml"), "[webhooks]\nallow_private = [\"127.0.0.0/8\"]\n").unwrap();
    let server = Server::start(&home);
    let receiver = Receiver::start().await;
    let body = json!({"url": receiver.url("/"), "eventTypes": ["message", "sentMessageREPLIED", "paymentCaptured"]});
    let made = http().post(server.url("/api/ext/v3/webhooks")).bearer_auth(server.token()).json(&body).send().await;
    let made: Value = made.unwrap().json().await.unwrap();
    let sampled = home.run("trigger paymentCaptured");
    assert_eq!(sampled["how"], "sample", "{sampled}");
    let sample = eventually("the sample arrives", async || receiver.posts().into_iter().next()).await;
    assert_eq!(sample.json()["eventType"], "paymentCaptured");
    let tested = home.run(&format!("trigger paymentCaptured --webhook {}", made["id"].as_str().unwrap()));
    assert_eq!(tested["how"], "test", "{tested}");
    let replied = home.run("trigger sentMessageREPLIED");
    assert_eq!((&replied["how"], replied["done"].as_array().unwrap().len()), (&json!("sandbox"), 3), "{replied}");
    let is_reply = |post: &Post| post.json()["eventType"] == "sentMessageREPLIED";
    let reply = eventually("the reply arrives", async || receiver.posts().into_iter().find(is_reply)).await;
    let webhook = made["id"].as_str().unwrap();
    // The outcome is stored some time after the receiver has answered.
    let path = server.url(&format!("/api/ext/v3/webhooks/{webhook}/deliveries/{}", reply.id()));
    eventually("it is recorded", async || {
        let answer = http().get(&path).bearer_auth(server.token()).send().await.unwrap();
        answer.status().is_success().then_some(())
    })
    .await;
    let resent = home.run(&format!("resend {}", reply.id()));
    assert_eq!((&resent["webhook_id"], &resent["type"]), (&json!(webhook), &json!("sentMessageREPLIED")), "{resent}");
    let repeats = async || {
        let posts = receiver.posts();
        (posts.iter().filter(|post| post.id() == reply.id()).count() == 2).then_some(())
    };
    eventually("it arrives again", repeats).await;
    let shown = eventually("the redelivery is recorded", async || {
        let answer: Value = http().get(&path).bearer_auth(server.token()).send().await.unwrap().json().await.unwrap();
        (answer["attempts"] == 2 && answer["state"] == "delivered").then_some(answer)
    })
    .await;
    let log = shown["attempt_log"].as_array().unwrap();
    let redelivered: Vec<bool> = log.iter().map(|attempt| attempt["redelivery"] == true).collect();
    assert_eq!(redelivered, [false, true], "{shown}");
}
