//! The environment of a story: people, a template, faults, and pending work. Reads the database next to the servers.

use std::time::{Duration, Instant};

use domain::{Clock, Timestamp};
use reqwest::{Client, StatusCode};
use sandbox::{Fault, FaultKind, fault};
use serde_json::{Value, json};
use store::platform::sandbox::people::Person;
use store::{Db, Statement, Tx, params};

use super::nodes::Nodes;
use super::story::Story;
use crate::inbound::TENANT;
use crate::{eventually, http};

pub const TEMPLATE: &str = "spring_offer";
const TEMPLATES: &str = "/api/ext/v3/messageTemplates";
/// Position of the first person of the story: behind the sandbox's initial people.
const FIRST_POSITION: usize = 1000;
/// The test fails when the pending work does not change for this time.
const STILL: Duration = Duration::from_mins(3);

/// Phone number of a person of the story, by number.
pub fn phone(person: usize) -> String {
    format!("1212{}", 2_000_000 + person)
}

pub fn position(person: usize) -> i64 {
    i64::try_from(FIRST_POSITION + person).unwrap()
}

pub async fn settle(db: &Db, people: usize) {
    let now = Clock::system().now();
    let all: Vec<Person> = (0..people).map(|number| person(number, now)).collect();
    db.write(all, |tx, all| Box::pin(settle_in(tx, all))).await.unwrap();
}

async fn settle_in(tx: &mut Tx<'_>, all: &[Person]) -> store::Result<()> {
    for person in all {
        assert!(store::platform::sandbox::people::insert(tx, TENANT, person).await?);
    }
    Ok(())
}

fn person(number: usize, created_at: Timestamp) -> Person {
    Person {
        position: position(number),
        name: format!("Person {number}"),
        phone: Some(phone(number)),
        bsuid: format!("US.{:020}", FIRST_POSITION + number),
        parent_bsuid: None,
        username: None,
        created_at,
    }
}

/// Creates a marketing template and waits for its approval. A busy node may run out of time: then the request is
/// repeated with its key.
pub async fn make_template(nodes: &Nodes, token: &str) {
    let (client, url) = (http(), nodes.url(0, TEMPLATES));
    let template = json!({
        "name": TEMPLATE, "category": "MARKETING", "language": "en", "body": "Hello {{1}}, spring is here.",
        "custom_params": [{"name": "1", "value": "Ada"}],
    });
    eventually("the template is created", async || {
        let request = client.post(&url).bearer_auth(token).header("Idempotency-Key", "the-template");
        let answer = request.json(&template).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success() || is_unknown(status, &text), "{status}: {text}");
        status.is_success().then_some(())
    })
    .await;
    eventually("the template is approved", async || {
        let page = show(&client, &url, token).await;
        (page["templates"][0]["status"] == "APPROVED").then_some(())
    })
    .await;
}

/// Whether a request with a key may still take effect: a repetition with the same key gets its outcome.
pub fn is_unknown(status: StatusCode, text: &str) -> bool {
    let is_under_way = status == StatusCode::CONFLICT && text.contains("idempotency_in_progress");
    status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT || is_under_way
}

/// A GET that must succeed.
pub async fn show(client: &Client, url: &str, token: &str) -> Value {
    let answer = client.get(url).bearer_auth(token).send().await.unwrap();
    assert!(answer.status().is_success(), "{url}: {}", answer.text().await.unwrap());
    answer.json().await.unwrap()
}

/// Adds a fault, which applies on every node.
pub async fn add_fault(db: &Db, place: usize, kind: &FaultKind, person: Option<usize>, left: u32) {
    let now = Clock::system().now();
    let id = format!("{:020}-{place:06}", now.micros());
    let fault = Fault { id, kind: kind.clone(), person: person.map(position), left };
    insisted(async || {
        let input = (now, fault.clone());
        db.write(input, |tx, (now, fault)| Box::pin(fault::save(tx, TENANT, *now, fault))).await
    })
    .await;
}

/// Closes every other connection to the database.
pub async fn cut(db: &Db) {
    static CUT: Statement = Statement::new(
        "test.cut",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    insisted(async || db.each(&CUT, params![], |_| Ok(())).await).await;
}

/// Retries, because closing connections also closes those of this test.
async fn insisted<T>(mut ask: impl AsyncFnMut() -> store::Result<T>) -> T {
    eventually("the database answers", async || ask().await.ok()).await
}

/// Pending work: messages to send, reports for the sandbox to post, posted bodies to apply.
async fn waiting(db: &Db) -> store::Result<[i64; 3]> {
    static WAITING: Statement = Statement::new(
        "test.waiting",
        "SELECT (SELECT COUNT(*) FROM outbox WHERE tenant_id = $1), (SELECT COUNT(*) FROM sandbox_due WHERE tenant_id = $1),
             (SELECT COUNT(*) FROM inbound_journal WHERE tenant_id = $1)",
    );
    let counts = db.row(&WAITING, params![TENANT], store::read::<[i64; 3]>).await?;
    Ok(counts.unwrap_or_default())
}

/// Number of messages in the outbox.
pub async fn outbox(db: &Db) -> i64 {
    let [outbox, ..] = insisted(async || waiting(db).await).await;
    outbox
}

/// Number of messages in flight.
pub async fn in_flight(db: &Db) -> i64 {
    static FLYING: Statement =
        Statement::new("test.in_flight", "SELECT COUNT(*) FROM outbox WHERE tenant_id = $1 AND taken_by IS NOT NULL");
    insisted(async || db.row(&FLYING, params![TENANT], store::read::<i64>).await).await.unwrap_or(0)
}

/// Number of broadcasts: each call that took effect has one.
pub async fn broadcasts(db: &Db) -> usize {
    static STORED: Statement = Statement::new("test.stored", "SELECT COUNT(*) FROM broadcasts WHERE tenant_id = $1");
    let count = insisted(async || db.row(&STORED, params![TENANT], store::read::<i64>).await).await;
    usize::try_from(count.unwrap_or(0)).unwrap()
}

/// Waits until all messages have left and all reports are applied.
pub async fn come_to_rest(db: &Db, story: &Story) {
    let (mut last, mut since) = ([0; 3], Instant::now());
    loop {
        let now = insisted(async || waiting(db).await).await;
        if now == [0; 3] {
            return;
        }
        if now != last {
            (last, since) = (now, Instant::now());
        }
        assert!(since.elapsed() < STILL, "seed {}: nothing moves, and there are still {now:?}", story.seed);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
