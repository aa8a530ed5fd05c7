//! An installation with the baseline of the schema, for upgrades to come: a backup with rows of many areas
//! (`tests/fixtures/baseline`), with a key and a token that belong to nothing else. This binary restores it, and upgrades
//! a database that has the baseline and these rows.
//!
//! Until the first release the fixture may be made anew: `SWITCHBOARD_WRITE_FIXTURE=1 scripts/test --test whole
//! baseline::the_fixture`. From then on it stays as it is, like the baseline.

use std::fs::File;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::Clock;
use flate2::read::GzDecoder;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use store::base::tables::{self, ColumnKind, TableShape};
use store::migrations::{MIGRATIONS, apply};
use store::{Db, Param, Statement, migrate};
use testkit::receiver::Receiver;

use crate::clicks::{self, ADA};
use crate::home::Home;
use crate::inbound::TENANT;
use crate::server::Server;
use crate::{eventually, http};

const WRITE: &str = "SWITCHBOARD_WRITE_FIXTURE";
const BACKUP: &str = "switchboard.backup";
const KEY: &str = "secret.key";
const TOKEN: &str = "token";

fn fixture(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/baseline").join(file)
}

fn text(file: &str) -> String {
    std::fs::read_to_string(fixture(file)).unwrap().trim().to_owned()
}

async fn ask(request: RequestBuilder, token: &str) -> Value {
    let answer = request.bearer_auth(token).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    answer.json().await.unwrap()
}

/// On request, makes an installation by commands and requests, as clients do.
#[tokio::test]
async fn the_fixture_is_made_on_request() {
    if std::env::var_os(WRITE).is_none() {
        return;
    }
    let (home, receiver) = (Home::sqlite(), Receiver::start().await);
    let server = Server::start_with(&home, &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")]);
    let token = server.token();
    let post = async |path: &str, body: Value| {
        ask(http().post(server.url(&format!("/api/ext/v3/{path}"))).json(&body), &token).await
    };
    home.run(&format!("seed contacts --tenant {TENANT} --count 10 --until 2026-04-24T10:00:00Z"));
    home.run(&format!("seed calls --tenant {TENANT} --count 10 --until 2026-04-24T10:00:00Z"));
    post("webhooks", json!({"url": receiver.url("/"), "eventTypes": ["message", "call.status"]})).await;
    home.run(&format!("sandbox say --person {ADA} Hello"));
    eventually("Ada's message is delivered", async || (!receiver.posts().is_empty()).then_some(())).await;
    home.run(&format!("sandbox call --person {ADA} --seconds 1"));
    let code = clicks::sent(&home, &server).await;
    assert_eq!(clicks::open(&server, &code, clicks::PHONE).await.status(), 302);
    post("labels", json!({"name": "vip"})).await;
    post("cannedReplies", json!({"shortcut": "late", "text": "Your order leaves today."})).await;
    post("segments", json!({"name": "Ada", "refresh_type": "static", "contacts": [ADA]})).await;
    post("conversations/messages/text", json!({"target": ADA, "text": "Hello!"})).await;
    post(&format!("conversations/{ADA}/notes"), json!({"text": "Offer express."})).await;
    assert!(server.terminate().0.success());
    home.run(&format!("backup {BACKUP}"));
    std::fs::create_dir_all(fixture("")).unwrap();
    std::fs::copy(home.file(BACKUP), fixture(BACKUP)).unwrap();
    std::fs::copy(home.file("data/secret.key"), fixture(KEY)).unwrap();
    std::fs::write(fixture(TOKEN), token).unwrap();
}

/// The lines of the backup.
fn lines() -> Vec<Value> {
    let text = std::io::read_to_string(GzDecoder::new(File::open(fixture(BACKUP)).unwrap())).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The statement that inserts a row of a table's line, and the kinds of its columns.
fn insert(tables: &[TableShape], line: &Value) -> (Statement, Vec<ColumnKind>) {
    let table = tables.iter().find(|table| line["table"] == table.name).unwrap();
    let names: Vec<&str> = line["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let kinds = names.iter().map(|name| table.column(name).unwrap().kind).collect();
    let values: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
    let text = format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), values.join(", "));
    (Statement::composed("test.load", text), kinds)
}

fn param(value: &Value, kind: ColumnKind) -> Param<'static> {
    match value {
        Value::String(text) if kind == ColumnKind::Bytes => Param::OwnedBytes(STANDARD.decode(text).unwrap()),
        Value::String(text) => Param::Owned(text.clone()),
        Value::Number(number) => Param::Int(number.as_i64().unwrap()),
        Value::Bool(value) => Param::Bool(*value),
        _ => Param::Null,
    }
}

/// Creates the schema of the baseline, inserts the rows of the backup, and applies the later migrations.
async fn load(db: &Db) {
    apply(db, &Clock::system(), &MIGRATIONS[..1]).await.unwrap();
    let tables = tables::shapes(db).await.unwrap();
    let mut into = None;
    for line in lines() {
        if line.get("table").is_some() {
            into = Some(insert(&tables, &line));
        } else if let (Some(row), Some((statement, kinds))) = (line.as_array(), &into) {
            let row: Vec<_> = row.iter().zip(kinds).map(|(value, kind)| param(value, *kind)).collect();
            db.each(statement, &row, |_| Ok(())).await.unwrap();
        }
    }
    assert_eq!(migrate(db, &Clock::system()).await.unwrap().len(), MIGRATIONS.len() - 1);
}

/// The upgraded database has the rows, and a server works with it.
async fn assert_works(home: Home) {
    let saved = home.run("backup again.backup");
    let made = lines().last().unwrap()["rows"].clone();
    for (table, rows) in saved["rows"].as_object().unwrap() {
        assert_eq!(rows, made.get(table).unwrap_or(&json!(0)), "{table}");
    }
    let (key, token) = (text(KEY), text(TOKEN));
    let server = Server::start_with(&home, &[("SWITCHBOARD_SECRET_KEY", key.as_str())]);
    let list = async |path: &str| ask(http().get(server.url(&format!("/api/ext/v3/{path}"))), &token).await;
    assert_eq!(list("contacts/count").await["contact_count"], 11);
    let messages = list(&format!("conversations/{ADA}/messages")).await;
    assert!(messages.to_string().contains("Offer express."), "{messages}");
    assert!(list("clicks").await["clicks"][0].is_object());
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.remove().await;
}

async fn restored(home: Home) {
    std::fs::copy(fixture(BACKUP), home.file(BACKUP)).unwrap();
    home.run(&format!("restore {BACKUP}"));
    assert_works(home).await;
}

async fn upgraded(home: Home) {
    std::fs::create_dir_all(home.file("data")).unwrap();
    load(&home.db()).await;
    assert_works(home).await;
}

#[tokio::test]
async fn a_backup_of_the_baseline_is_restored_on_sqlite() {
    restored(Home::sqlite()).await;
}

#[tokio::test]
async fn a_backup_of_the_baseline_is_restored_on_postgres() {
    restored(Home::postgres().await).await;
}

#[tokio::test]
async fn a_database_of_the_baseline_is_upgraded_on_sqlite() {
    upgraded(Home::sqlite()).await;
}

#[tokio::test]
async fn a_database_of_the_baseline_is_upgraded_on_postgres() {
    upgraded(Home::postgres().await).await;
}
