//! Benchmark of hooks: the answer to a posted body, compared with the floor, and how fast the journal is applied.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use channels::signature;
use domain::{ChannelId, Id, TenantId};
use store::messaging::inbound::JournalEntry;
use store::{Statement, params};

use crate::floor;
use crate::load::{Case, Plan, post_request};
use crate::options::Common;
use crate::report::{Report, Row};
use crate::served::{APP_SECRET, Database, Prepared, Served};

/// Bodies of one message each that are in the journal when the server starts.
pub const WAITING: u64 = 20_000;
const PEOPLE: u64 = 1_000;
/// Bodies per transaction while filling the journal.
const AT_ONCE: u64 = 500;
/// The run fails if the journal is not empty after this time.
const TIMEOUT: Duration = Duration::from_mins(5);
const ANSWER_BYTES: usize = 12;
const AT: u64 = 1_776_000_000;

static WAITING_BODY: Statement =
    Statement::new("bench.journal", "SELECT 1 FROM inbound_journal WHERE tenant_id = $1 LIMIT 1");

pub async fn run(common: &Common, database: Database) -> Result<Report> {
    let prepared = Served::prepare(database).await?;
    let channel = prepared.add_channel("whatsapp").await?;
    fill(&prepared, channel).await?;
    let db = prepared.db();
    let began = Instant::now();
    let served = prepared.start()?;
    drained(&db, began).await?;
    let seconds = began.elapsed().as_secs_f64();
    let mut facts = common.facts();
    facts.push(("people", PEOPLE.to_string()));
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = WAITING as f64 / seconds;
    facts.push(("worked off from the start", format!("{WAITING} messages in {seconds:.1} s, {rate:.0} a second")));
    let rows = rows(common, &served, channel).await?;
    facts.push(("resident memory after the rows", format!("{:.1} MiB", served.child.resident_mebibytes()?)));
    Ok(Report { title: format!("Inbound on {}", database.name()), facts, rows })
}

async fn fill(prepared: &Prepared, channel: ChannelId) -> Result<()> {
    let app = prepared.app();
    for first in (0..WAITING).step_by(usize::try_from(AT_ONCE)?) {
        let now = app.now();
        let entry =
            |n: u64| JournalEntry { received_at: now, id: Id::new(now), body: message("waiting", 0, n).into_bytes() };
        let entries: Vec<JournalEntry> = (first..first + AT_ONCE).map(entry).collect();
        let write = app.db().write((channel, entries), |tx, (channel, entries)| {
            Box::pin(async move {
                for entry in entries {
                    store::messaging::inbound::append(tx, TenantId::FIRST, *channel, entry).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        write.await?;
    }
    Ok(())
}

async fn drained(db: &store::Db, since: Instant) -> Result<()> {
    while db.row(&WAITING_BODY, params![TenantId::FIRST], |_| Ok(())).await?.is_some() {
        ensure!(since.elapsed() < TIMEOUT, "the journal is not empty in time");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

async fn rows(common: &Common, served: &Served, channel: ChannelId) -> Result<Vec<Row>> {
    let plan = common.plan();
    let alone = Plan { connections: 1, ..plan };
    let floor = floor::measure(ANSWER_BYTES, plan).await?;
    let per_second = floor.load.requests_per_second;
    let mut rows = vec![Row { name: "floor: a prepared body of 12 bytes".to_owned(), measured: floor, floor: None }];
    let cases = [
        (hook(channel, "a message, one after the other", "alone", 1), alone),
        (hook(channel, "a message", "many", 1), plan),
        (hook(channel, "twenty messages in a body", "batch", 20), plan),
    ];
    for (case, plan) in cases {
        let measured = served.child.measure(&case, plan).await.with_context(|| case.name.clone())?;
        rows.push(Row { name: case.name, measured, floor: Some(per_second) });
    }
    Ok(rows)
}

/// Signed posts of distinct messages, `messages` in each body.
fn hook(channel: ChannelId, name: &str, run: &'static str, messages: u64) -> Case {
    let write = move |connection: usize, i: u64, out: &mut Vec<u8>| {
        let body = match messages {
            1 => message(run, connection, i),
            many => whole(&(0..many).map(|n| one(run, connection, i * many + n)).collect::<Vec<_>>().join(",")),
        };
        let signed = signature::sign(APP_SECRET.as_bytes(), body.as_bytes());
        let signature = format!("x-hub-signature-256: {signed}\r\n");
        post_request(out, &format!("/hooks/whatsapp/{channel}"), &signature, &body);
    };
    Case { name: name.to_owned(), expected_status: 200, write_request: Arc::new(write) }
}

pub fn message(run: &str, connection: usize, i: u64) -> String {
    whole(&one(run, connection, i))
}

fn one(run: &str, connection: usize, i: u64) -> String {
    let person = i % PEOPLE;
    format!(
        "{{\"from\":\"1415555{person:04}\",\"from_user_id\":\"US.9{person:019}\",\"id\":\"wamid.{run}-{connection}-{i}\",\
         \"timestamp\":\"{}\",\"type\":\"text\",\"text\":{{\"body\":\"Where is my order number {i}?\"}}}}",
        AT + i
    )
}

/// A body with these messages, given as JSON objects separated by commas.
pub fn whole(messages: &str) -> String {
    format!(
        "{{\"object\":\"whatsapp_business_account\",\"entry\":[{{\"id\":\"102290129340398\",\"time\":{AT},\"changes\":[{{\
         \"field\":\"messages\",\"value\":{{\"messaging_product\":\"whatsapp\",\"metadata\":{{\"display_phone_number\":\
         \"14155550100\",\"phone_number_id\":\"106540352242922\"}},\"messages\":[{messages}]}}}}]}}]}}"
    )
}
