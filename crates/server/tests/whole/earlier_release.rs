//! Opens, upgrades and restores an installation of an earlier release (`tests/fixtures`, created by
//! `scripts/make-fixtures`). This binary answers like the earlier release and finishes its unfinished work.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use store::Statement;

use crate::home::Home;
use crate::http;
use crate::server::Server;

/// Maximum number of checks, two seconds apart, for the unfinished work: far more than it needs.
const ROUNDS: usize = 60;
const MASKED: &str = "(masked)";
const DAY_SECONDS: u64 = 86_400;
/// Maximum differences printed per answer.
const SHOWN: usize = 5;
/// Maximum characters printed per value.
const LONGEST: usize = 200;

/// An installation of the earlier release, and its recorded answers.
struct Fixture {
    folder: PathBuf,
    recorded: Value,
}

impl Fixture {
    fn read(engine: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/release-0.1").join(engine);
        let recorded = serde_json::from_slice(&std::fs::read(folder.join("answers.json")).unwrap()).unwrap();
        Self { folder, recorded }
    }

    fn text(&self, pointer: &str) -> &str {
        self.recorded.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer}"))
    }

    /// The settings of the recording. On PostgreSQL the key comes from the environment, on SQLite from the data folder.
    fn settings(&self, home: &Home) -> Vec<(&str, &str)> {
        let settings = self.recorded["settings"].as_object().unwrap();
        let mut settings: Vec<_> =
            settings.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
        if !home.file("data/secret.key").exists() {
            settings.push(("SWITCHBOARD_SECRET_KEY", self.text("/secret_key")));
        }
        settings
    }

    /// The answer of a command that must succeed.
    fn run(&self, home: &Home, arguments: &str) -> Value {
        let mut command = home.binary();
        command.args(arguments.split_whitespace()).arg("--json").envs(self.settings(home));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Whether the server still keeps the data of this entry: some data is deleted a number of days after the
    /// recording.
    fn is_kept(&self, entry: &Value) -> bool {
        let age = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() - self.recorded["made_at"].as_u64().unwrap();
        entry["kept_days"].as_u64().is_none_or(|days| age < days * DAY_SECONDS)
    }
}

/// Repeats the request or command of a recorded entry; returns status, type and body of the answer as the recording has
/// them.
async fn ask(fixture: &Fixture, home: &Home, server: &Server, entry: &Value, console: &Client) -> Value {
    if let Some(command) = entry["command"].as_str() {
        return json!({"answer": fixture.run(home, command)});
    }
    let request = match entry["get"].as_str() {
        Some(path) => http().get(server.url(path)).bearer_auth(fixture.text("/token")),
        None => console.get(server.url(entry["console"].as_str().unwrap())),
    };
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let kind = answer.headers().get("content-type").map_or("", |kind| kind.to_str().unwrap());
    let kind = kind.split(';').next().unwrap_or_default().to_owned();
    let bytes = answer.bytes().await.unwrap();
    let answer = if kind == "application/json" {
        serde_json::from_slice(&bytes).unwrap()
    } else {
        // One character per byte, like files in the recording.
        Value::String(bytes.iter().map(|byte| char::from(*byte)).collect())
    };
    json!({"status": status, "type": kind, "answer": answer})
}

fn mask(value: &mut Value, members: &[&str]) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                if members.contains(&name.as_str()) {
                    *inner = Value::from(MASKED);
                } else {
                    mask(inner, members);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, members)),
        _ => {}
    }
}

/// Whether the answer must have exactly the recorded members: V1 and V2 imitate other platforms member by member.
/// Answers of V3, the console and commands may have gained members.
fn is_exact(entry: &Value) -> bool {
    entry["get"].as_str().is_some_and(|path| path.contains("/api/v1/") || path.contains("/api/v2/"))
}

/// Leaves out entries of the audit log that requests of this test have added, such as those for exports and log-ins.
fn leave_out_later(recorded: &Value, found: &mut Value) {
    let newest = recorded.get(0).and_then(|entry| entry.get("action").and(entry["at"].as_str()));
    if let (Some(newest), Some(entries)) = (newest, found.as_array_mut()) {
        entries.retain(|entry| entry["at"].as_str().is_some_and(|at| at <= newest));
    }
}

/// Leaves out members that the earlier release did not have.
fn without_new_members(recorded: &Value, found: &mut Value) {
    match (recorded, found) {
        (Value::Object(one), Value::Object(other)) => {
            other.retain(|name, _| one.contains_key(name));
            for (name, inner) in other {
                without_new_members(&one[name.as_str()], inner);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).for_each(|(one, other)| without_new_members(one, other));
        }
        _ => {}
    }
}

/// Adds the paths at which two values differ, with both values.
fn differences(place: &str, recorded: &Value, found: &Value, into: &mut Vec<String>) {
    match (recorded, found) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<_> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let get = |object: &Value| object.get(name).cloned().unwrap_or_else(|| Value::from("(absent)"));
                differences(&format!("{place}/{name}"), &get(recorded), &get(found), into);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (n, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{place}/{n}"), one, other, into);
            }
        }
        _ if recorded != found => into.push(format!("{place}: was {}, is {}", short(recorded), short(found))),
        _ => {}
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(LONGEST).collect()
}

/// A client with a session of the tenant's administrator.
async fn logged_in(fixture: &Fixture, server: &Server) -> Client {
    let body = json!({"email": fixture.text("/email"), "password": fixture.text("/password")});
    let request = http().post(server.url("/console/api/session")).header("origin", server.url("")).json(&body);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let headers = [(reqwest::header::COOKIE, cookie.parse().unwrap())].into_iter().collect();
    Client::builder().no_proxy().default_headers(headers).build().unwrap()
}

/// Checks that every recorded request about the tenant without unfinished work is answered as before.
async fn assert_answers(fixture: &Fixture, home: &Home, server: &Server) {
    let (mut report, mut asked) = (String::new(), 0);
    // A log-in adds an entry to the audit log, so the test logs in when the first entry needs a session.
    let mut console = None;
    for entry in fixture.recorded["answers"].as_array().unwrap() {
        if !fixture.is_kept(entry) {
            continue;
        }
        if entry.get("console").is_some() && console.is_none() {
            console = Some(logged_in(fixture, server).await);
        }
        let without_session = http();
        let found = ask(fixture, home, server, entry, console.as_ref().unwrap_or(&without_session)).await;
        let masked: Vec<&str> = entry["masked"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let (mut found, mut different) = (found, Vec::new());
        mask(&mut found["answer"], &masked);
        leave_out_later(&entry["answer"], &mut found["answer"]);
        if !is_exact(entry) {
            without_new_members(&entry["answer"], &mut found["answer"]);
        }
        for member in ["status", "type", "answer"] {
            differences(member, &entry[member], &found[member], &mut different);
        }
        asked += 1;
        if !different.is_empty() {
            let what = ["get", "command", "console"].iter().find_map(|member| entry[*member].as_str());
            different.truncate(SHOWN);
            writeln!(report, "{}\n  {}", what.unwrap(), different.join("\n  ")).unwrap();
        }
    }
    assert!(report.is_empty(), "answers are not those of the earlier release:\n{report}");
    assert!(asked > 100, "only {asked} answers were compared");
}

async fn get(fixture: &Fixture, server: &Server, path: &str) -> Option<Value> {
    let request: RequestBuilder = http().get(server.url(&format!("/api/ext/v3/{path}")));
    let answer = request.bearer_auth(fixture.text("/unfinished/token")).send().await.unwrap();
    let status = answer.status();
    // 429: limited by the tenant's plan. 404: the work is not done yet.
    assert!(status == 200 || status == 429 || status == 404, "{path}: {status} {}", answer.text().await.unwrap());
    if status == 200 { answer.json().await.ok() } else { None }
}

/// The call ids in all `call.status` events.
async fn called(fixture: &Fixture, server: &Server) -> Vec<Value> {
    let (mut calls, mut after) = (Vec::new(), 0);
    while let Some(page) = get(fixture, server, &format!("events?after={after}&limit=1000&types=call.status")).await {
        calls.extend(page["events"].as_array().unwrap().iter().map(|event| event["payload"]["call_id"].clone()));
        after = page["after"].as_u64().unwrap();
        if page["has_more"] != true {
            break;
        }
    }
    calls
}

/// What is still missing of the other tenant's unfinished work: an import, inbound messages, events without numbers.
async fn unfinished(fixture: &Fixture, server: &Server) -> Vec<String> {
    let left = &fixture.recorded["unfinished"];
    let mut missing = Vec::new();
    let row = left["row"].as_str().unwrap();
    // Imports are deleted after 30 days, finished or not.
    let is_kept = fixture.is_kept(&json!({"kept_days": 29}));
    if is_kept && get(fixture, server, &format!("contacts/{row}")).await.is_none() {
        missing.push(format!("the import's last row, {row}"));
    }
    let sender = left["sender"].as_str().unwrap();
    let page = get(fixture, server, &format!("conversations/Direct:{sender}/messages?page_size=20")).await;
    let arrived = page.is_some_and(|page| {
        page["message_list"].as_array().unwrap().iter().any(|message| message["text"] == left["message"])
    });
    if !arrived {
        missing.push(format!("the messages of {sender}"));
    }
    let calls = called(fixture, server).await;
    missing.extend(left["calls"].as_array().unwrap().iter().filter(|call| !calls.contains(call)).map(Value::to_string));
    missing
}

async fn assert_finishes(fixture: &Fixture, server: &Server) {
    let mut missing = Vec::new();
    for _ in 0..ROUNDS {
        missing = unfinished(fixture, server).await;
        if missing.is_empty() {
            return;
        }
        // This tenant's plan allows ten calls in ten seconds.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    panic!("the work that was left is not done: {missing:?}");
}

async fn assert_works(fixture: &Fixture, home: Home) {
    fixture.run(&home, "migrate");
    let server = Server::start_with(&home, &fixture.settings(&home));
    assert_finishes(fixture, &server).await;
    assert_answers(fixture, &home, &server).await;
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.remove().await;
}

/// Splits a dump into statements, without comments; ignores semicolons in quotes.
fn statements(dump: &str) -> Vec<String> {
    let (mut all, mut one, mut quote) = (Vec::new(), String::new(), None);
    for line in dump.lines() {
        if quote.is_none() && line.starts_with("--") {
            continue;
        }
        for c in line.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c == ';' => {
                    all.push(std::mem::take(&mut one));
                    continue;
                }
                _ => {}
            }
            one.push(c);
        }
        one.push('\n');
    }
    all
}

async fn load(home: &Home, dump: &Path) {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(dump).unwrap()).read_to_string(&mut text).unwrap();
    let db = home.db();
    for sql in statements(&text) {
        let sql = sql.trim();
        // The other statements of a dump set up the session.
        if ["CREATE ", "ALTER ", "INSERT "].iter().any(|verb| sql.starts_with(verb)) {
            // Braces are markers of the store's dialect; here they occur only in quoted values.
            let sql = sql.replace('{', "'||chr(123)||'").replace('}', "'||chr(125)||'");
            let loaded = db.each(&Statement::composed("fixture", sql.clone()), &[], |_| Ok(())).await;
            loaded.unwrap_or_else(|error| panic!("{error}: {sql}"));
        }
    }
}

async fn restore(fixture: &Fixture, home: Home) {
    std::fs::copy(fixture.folder.join("switchboard.backup"), home.file("release.backup")).unwrap();
    let restored = fixture.run(&home, "restore release.backup");
    assert!(restored["rows"]["messages"].as_u64().unwrap() > 0, "{restored}");
    assert_works(fixture, home).await;
}

#[tokio::test]
async fn a_data_folder_opens_and_answers_the_same() {
    let (fixture, home) = (Fixture::read("sqlite"), Home::sqlite());
    let archive = fixture.folder.join("data.tar.gz");
    let unpacked = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(home.file("")).status();
    assert!(unpacked.unwrap().success());
    assert_works(&fixture, home).await;
}

#[tokio::test]
async fn a_dump_of_postgres_opens_and_answers_the_same() {
    let (fixture, home) = (Fixture::read("postgres"), Home::postgres().await);
    load(&home, &fixture.folder.join("dump.sql.gz")).await;
    assert_works(&fixture, home).await;
}

#[tokio::test]
async fn a_backup_restored_into_sqlite_answers_the_same() {
    let (fixture, home) = (Fixture::read("sqlite"), Home::sqlite());
    restore(&fixture, home).await;
}

#[tokio::test]
async fn a_backup_restored_into_postgres_answers_the_same() {
    let (fixture, home) = (Fixture::read("sqlite"), Home::postgres().await);
    restore(&fixture, home).await;
}
