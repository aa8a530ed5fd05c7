//! The programs of `docs/webhooks.md` that receive and verify deliveries: each gets real ones and a forged one.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::tools;

use super::page::Page;
use super::verify::is_genuine;
use crate::home::Home;
use crate::server::Server;
use crate::{eventually, http};

/// What the programs have in place of a port and a secret.
const PORT: &str = "9000";
const SECRET: &str = "whsec_...";

/// Turns TypeScript into JavaScript; Node 20 cannot read it.
const TRANSPILE: &str = "const ts = require(process.argv[1]);
    const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
    process.stdout.write(ts.transpileModule(require('fs').readFileSync(0, 'utf8'), options).outputText);";

/// Killed on drop.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn page() -> Page {
    Page::read("webhooks")
}

async fn create_webhook(server: &Server, url: &str) -> Value {
    let request = http().post(server.url("/api/ext/v3/webhooks")).bearer_auth(server.token());
    let answer = request.json(&json!({"url": url, "eventTypes": ["message"]})).send().await.unwrap();
    assert!(answer.status().is_success());
    answer.json().await.unwrap()
}

/// Posts a sample event to the webhook; returns the outcome.
async fn test(server: &Server, webhook: &Value) -> Value {
    let path = format!("/api/ext/v3/webhooks/{}/test", webhook["id"].as_str().unwrap());
    http().post(server.url(&path)).bearer_auth(server.token()).send().await.unwrap().json().await.unwrap()
}

/// Runs a program of the page as the receiver of a webhook. It must accept a delivery and refuse a forged one.
async fn assert_receives(write: impl FnOnce(&Home, String) -> Command, language: &str) {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")]);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let url = format!("http://127.0.0.1:{port}/");
    let webhook = create_webhook(&server, &url).await;
    let source = page().program(language).to_owned();
    assert!(source.contains(PORT) && source.contains(SECRET), "{source}");
    let source = source.replace(PORT, &port).replace(SECRET, webhook["secret"].as_str().unwrap());
    let mut command = write(&home, source);
    let printed = home.file("program-printed");
    command.stdin(Stdio::null()).stdout(File::create(&printed).unwrap()).env("PYTHONUNBUFFERED", "1");
    let _program = Program(command.spawn().unwrap());
    eventually("the program listens", async || tokio::net::TcpStream::connect(format!("127.0.0.1:{port}")).await.ok())
        .await;
    let outcome = test(&server, &webhook).await;
    assert_eq!((&outcome["delivered"], &outcome["response_status"]), (&json!(true), &json!(204)), "{outcome}");
    eventually("the program prints the event", async || {
        std::fs::read_to_string(&printed).unwrap().contains(" message\n").then_some(())
    })
    .await;
    let forged = http().post(&url).header("webhook-id", "1").header("webhook-timestamp", "1777024800");
    let forged = forged.header("webhook-signature", "v1,ya6httCCkOlsbwjpxsNsQ+ff6c4ZOxAgMDO/PUM+za4=").body("{}");
    assert_eq!(forged.send().await.unwrap().status().as_u16(), 400);
}

#[tokio::test]
async fn the_receiver_in_python_verifies() {
    let write = |home: &Home, source: String| {
        let file = home.file("receiver.py");
        std::fs::write(&file, source).unwrap();
        let mut command = Command::new(tools::python_program("python"));
        command.arg(file);
        command
    };
    assert_receives(write, "python").await;
}

#[tokio::test]
async fn the_receiver_in_typescript_verifies() {
    let write = |home: &Home, source: String| {
        symlink(tools::node_folder().join("node_modules"), home.file("node_modules")).unwrap();
        let file = home.file("receiver.mjs");
        std::fs::write(&file, transpiled(home, &source)).unwrap();
        let mut command = Command::new("node");
        command.arg(file);
        command
    };
    assert_receives(write, "ts").await;
}

fn transpiled(home: &Home, source: &str) -> Vec<u8> {
    let file = home.file("receiver.ts");
    std::fs::write(&file, source).unwrap();
    let compiler: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/node_modules/typescript");
    let mut node = Command::new("node");
    node.args(["-e", TRANSPILE]).arg(compiler).stdin(File::open(file).unwrap());
    let output = node.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[tokio::test]
async fn the_function_in_rust_verifies() {
    assert_eq!(page().program("rust"), include_str!("verify.rs"));
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")]);
    let receiver = Receiver::start().await;
    let webhook = create_webhook(&server, &receiver.url("/")).await;
    assert_eq!(test(&server, &webhook).await["delivered"], true);
    let posts = receiver.posts();
    let post = posts.last().unwrap();
    let [id, timestamp, signature] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| post.header(name).to_owned());
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap();
    let secret = webhook["secret"].as_str().unwrap();
    let judge = |secret: &str, id: &str, body: &str, now: i64| {
        is_genuine(secret, id, &timestamp, &format!("v1,AAAA {signature}"), body.as_bytes(), now)
    };
    assert!(judge(secret, &id, &post.body, now));
    assert!(!judge("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &id, &post.body, now), "another secret");
    assert!(!judge(secret, "another", &post.body, now));
    assert!(!judge(secret, &id, &post.body.replace('{', "{ "), now));
    assert!(!judge(secret, &id, &post.body, now + 1000), "an old delivery");
}
