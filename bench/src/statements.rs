//! What each use case asks of the database: statements, round trips, rows, bytes and writes of indexes, on both
//! engines.
//!
//! The use cases run in this process, without workers, so that nothing else is counted. The counts do not depend on the
//! machine: the table in the repository changes only with the code.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use app::calls::NewCall;
use app::{App, Principal};
use channels::signature;
use domain::calls::CallDirection;
use domain::{ChannelId, Id, TenantId, Timestamp};
use store::messaging::inbound::JournalEntry;
use store::{Db, Statement, Traffic};
use tokio::task::JoinSet;

use crate::inbound::message;
use crate::served::{APP_SECRET, Database, Prepared, Served};

/// Calls, messages or events in the use cases that do several at once.
const TOGETHER: u64 = 64;
/// PostgreSQL's statistics have counted a write of a table after this time.
const COUNTED_AFTER: Duration = Duration::from_secs(11);

/// Entries written to indexes: every index of a table gets one for each new version of a row, except where only columns
/// without an index changed. A partial index is counted as if it held every row.
static INDEX_WRITES: Statement = Statement::new(
    "bench.index_writes",
    "SELECT CAST(COALESCE(SUM((s.n_tup_ins + s.n_tup_upd - s.n_tup_hot_upd)
         * (SELECT COUNT(*) FROM pg_index i WHERE i.indrelid = s.relid)), 0) AS BIGINT) FROM pg_stat_user_tables s",
);

/// One use case on one engine.
struct Counted {
    name: &'static str,
    engine: &'static str,
    units: u64,
    traffic: Traffic,
    index_writes: Option<i64>,
}

pub async fn run(databases: &[Database]) -> Result<String> {
    let mut counted = Vec::new();
    for database in databases {
        counted.extend(Box::pin(on(*database)).await?);
    }
    counted.sort_by_key(|one| one.name);
    Ok(table(&counted))
}

async fn on(database: Database) -> Result<Vec<Counted>> {
    let prepared = Served::prepare(database).await?;
    let channel = prepared.add_channel("whatsapp").await?;
    let app = prepared.app().clone();
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let caller =
        app.identity().authenticate(prepared.token(), address).await.map_err(|denial| anyhow!("{denial:?}"))?;
    // The first use of a statement costs more and is not counted.
    record(&app, &caller, 0..TOGETHER + 1).await?;
    receive(&prepared, channel, 0..2 * TOGETHER).await?;
    app.delivery().events().number_own().await?;
    let mut count = Counter { database, db: prepared.db(), counted: Vec::new() };
    count.of("1 a call", 1, record(&app, &caller, 1000..1001)).await?;
    count.of("2 a call, of 64 that arrive together", TOGETHER, record(&app, &caller, 2000..2000 + TOGETHER)).await?;
    count
        .of("3 an event, numbered with 64 others", TOGETHER + 1, async {
            Ok(app.delivery().events().number_own().await?)
        })
        .await?;
    Box::pin(count.of("4 a post of the network, accepted", 1, accept(&app, channel, 5000))).await?;
    app.messaging().process_inbound(&|| false).await?;
    fill(&prepared, channel, 6000..6000 + TOGETHER).await?;
    let process = async { Ok(app.messaging().process_inbound(&|| false).await?) };
    Box::pin(count.of("5 a message of a known person, of 64 that wait", TOGETHER, process)).await?;
    fill(&prepared, channel, 700..700 + TOGETHER).await?;
    let process = async { Ok(app.messaging().process_inbound(&|| false).await?) };
    Box::pin(count.of("6 a message of a new person, of 64 that wait", TOGETHER, process)).await?;
    Ok(count.counted)
}

struct Counter {
    database: Database,
    db: Db,
    counted: Vec<Counted>,
}

impl Counter {
    async fn of(&mut self, name: &'static str, units: u64, work: impl Future<Output = Result<()>>) -> Result<()> {
        let written = self.index_writes().await?;
        let before = self.db.traffic();
        work.await.context(name)?;
        let traffic = self.db.traffic().since(before);
        let index_writes = self.index_writes().await?.zip(written).map(|(now, before)| now - before);
        self.counted.push(Counted { name, engine: self.database.name(), units, traffic, index_writes });
        Ok(())
    }

    async fn index_writes(&self) -> Result<Option<i64>> {
        // The tables of Citus are on its workers, whose statistics are not read.
        if self.database != Database::Postgres {
            return Ok(None);
        }
        tokio::time::sleep(COUNTED_AFTER).await;
        Ok(self.db.row(&INDEX_WRITES, &[], store::read).await?)
    }
}

/// Records calls as concurrent requests do, one request for each.
async fn record(app: &App, caller: &Arc<Principal>, numbers: std::ops::Range<u64>) -> Result<()> {
    let mut calls = JoinSet::new();
    for number in numbers {
        let (app, caller) = (app.clone(), Arc::clone(caller));
        let started_at = Timestamp::from_seconds(1_776_000_000 + i64::try_from(number)?);
        let new = NewCall {
            call_id: format!("bench-{number}"),
            direction: CallDirection::Inbound,
            from_number: format!("1415555{:04}", number % 1000),
            to_number: "14155550100".to_owned(),
            started_at,
            answered_at: Some(started_at),
            ended_at: None,
            status: None,
            end_reason: None,
            operator: None,
            team_name: None,
            channel: None,
        };
        calls.spawn(async move { app.calls().record(&caller, new).await });
    }
    while let Some(recorded) = calls.join_next().await {
        recorded??;
    }
    Ok(())
}

async fn accept(app: &App, channel: ChannelId, number: u64) -> Result<()> {
    let body = message("statements", 0, number).into_bytes();
    let signed = signature::sign(APP_SECRET.as_bytes(), &body);
    Ok(app.messaging().inbound().signed_post(channel, Some(&signed)).await?.accept(body).await?)
}

/// Adds messages to the journal. The person of a message follows from its number, modulo 1 000.
async fn fill(prepared: &Prepared, channel: ChannelId, numbers: std::ops::Range<u64>) -> Result<()> {
    let now = prepared.app().now();
    let entry = |number| {
        let body = message("statements", 0, number).into_bytes();
        JournalEntry { received_at: now, id: Id::new(now), body }
    };
    let entries: Vec<JournalEntry> = numbers.map(entry).collect();
    let db = prepared.db();
    let write = db.write((channel, entries), |tx, (channel, entries)| {
        Box::pin(async move {
            for entry in entries {
                store::messaging::inbound::append(tx, TenantId::FIRST, *channel, entry).await?;
            }
            Ok::<_, store::Error>(())
        })
    });
    Ok(write.await?)
}

async fn receive(prepared: &Prepared, channel: ChannelId, numbers: std::ops::Range<u64>) -> Result<()> {
    fill(prepared, channel, numbers).await?;
    Ok(prepared.app().messaging().process_inbound(&|| false).await?)
}

fn table(counted: &[Counted]) -> String {
    let mut text = String::from(
        "| for each | database | statements | round trips | rows read | rows written | bytes sent | index writes |\n\
         |---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for one in counted {
        let Traffic { statements, round_trips, rows_read, rows_written, bytes_sent } = one.traffic;
        let writes = one.index_writes.map_or_else(|| "–".to_owned(), |writes| each(writes.unsigned_abs(), one.units));
        let name = one.name.get(2..).unwrap_or_default();
        let numbers = [statements, round_trips, rows_read, rows_written, bytes_sent].map(|sum| each(sum, one.units));
        let _ = writeln!(text, "| {name} | {} | {} | {writes} |", one.engine, numbers.join(" | "));
    }
    text
}

fn each(sum: u64, units: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a number for people")]
    let each = sum as f64 / units as f64;
    if sum.is_multiple_of(units) { format!("{each:.0}") } else { format!("{each:.2}") }
}
