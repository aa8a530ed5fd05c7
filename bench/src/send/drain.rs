//! Draining: time from a server's start until its outbox is empty, compared with a bare client that posts the same
//! bodies to the same sandbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use domain::{MessageId, TenantId};
use store::{Statement, params};

use super::calls::Whom;
use super::world::World;
use crate::child::{Child, Measured};
use crate::load::{Case, Measurement, Plan, post_request, rate};
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::{ACCESS_TOKEN, Database, PHONE_NUMBER_ID};
use crate::webhooks::spent::coordinator_share;

/// Few enough that the sandbox, which reads all of its people at the start, is ready at once.
const PEOPLE: u64 = 2_000;
const DRAINED: &str = "messages drained to the sandbox";
/// As many requests in flight as the sender has.
const CONNECTIONS: usize = 128;

static CONTENTS: Statement = Statement::new(
    "bench.contents",
    "SELECT o.recipient, m.content FROM outbox o JOIN messages m ON m.tenant_id = $1 AND m.id = o.id
     WHERE o.tenant_id = $1",
);

pub async fn measure(common: &Common, database: Database, count: u64) -> Result<PartResult> {
    let world = World::new(database, PEOPLE).await?;
    let child = world.serve().await?;
    let before_fill = stored(&world, database).await?;
    world.fill(&child, Whom::Known(world.known.clone()), count, |_| ()).await?;
    let filled = stored(&world, database).await?.saturating_sub(before_fill);
    let floor = floor(&world, &child, common.plan()).await?;
    // Reports caused by the floor must not count as cost of draining.
    world.reported().await?;
    drop(child);
    world.release().await?;
    world.prepared.settle().await?;
    let before_drain = stored(&world, database).await?;

    let (began, before) = (Instant::now(), world.database_time()?);
    let child = world.prepared.serve()?;
    world.drained().await?;
    let (took, processor) = (began.elapsed(), child.processor_time()?);
    world.reported().await?;
    let drained = began.elapsed();
    let spent = Spent::since(&world, &child, before)?;
    let read = world.read().await?;
    ensure!(read == count, "{read} of {count} messages were read");
    let reported = stored(&world, database).await?.saturating_sub(before_drain);
    let (per_second, bare) = (rate(count, took), floor.load.requests_per_second);
    let drained = format!(
        "{count} messages to {PEOPLE} people in {:.1} s, {per_second:.0} a second, {:.2} of the bare client; everything reported after {:.1} s",
        took.as_secs_f64(),
        per_second / bare,
        drained.as_secs_f64()
    );
    let per_message = processor.as_secs_f64() / rate(count, Duration::from_secs(1));
    let of_floor = floor.server_time_per_request.as_secs_f64();
    let processor = format!("{:.2}; posted by the bare client {:.2}", 1e4 * per_message, 1e4 * of_floor);
    let mut facts = vec![
        ("drained from the start", drained),
        ("processor seconds for 10000 messages until everything is reported", spent.for_10000(count)),
        ("processor seconds for 10000 messages drained, the sandbox and reports included", processor),
        ("resident memory after draining", format!("{:.1} MiB", child.resident_mebibytes()?)),
    ];
    if database == Database::Postgres {
        let bytes = (filled + reported) / count;
        facts.push(("bytes stored for each message, with its events and indexes", bytes.to_string()));
    }
    let name = format!("floor: a bare client posts to the sandbox on {CONNECTIONS} connections");
    let rows = vec![
        Row { name, measured: floor, floor: None },
        Row { name: DRAINED.to_owned(), measured: spent.measured(count, per_second), floor: Some(bare) },
    ];
    Ok(PartResult { rows, facts })
}

/// Bytes of the tables of the installation; 0 if they are not in one PostgreSQL.
async fn stored(world: &World, database: Database) -> Result<u64> {
    if database == Database::Postgres { world.stored_bytes().await } else { Ok(0) }
}

/// Processor time from the start of the server until everything is reported.
struct Spent {
    server: Duration,
    database: Duration,
    coordinator: Duration,
}

impl Spent {
    fn since(world: &World, child: &Child, (database, coordinator): (Duration, Duration)) -> Result<Self> {
        let (all, first) = world.database_time()?;
        let (database, coordinator) = (all.saturating_sub(database), first.saturating_sub(coordinator));
        Ok(Self { server: child.processor_time()?, database, coordinator })
    }

    fn for_10000(&self, count: u64) -> String {
        let seconds = |time: Duration| 1e4 / rate(count, time);
        let coordinator = coordinator_share(self.coordinator, seconds);
        format!("server {:.2}, database {:.2}{coordinator}", seconds(self.server), seconds(self.database))
    }

    /// The row of drained messages, which has no times of single ones.
    fn measured(&self, count: u64, requests_per_second: f64) -> Measured {
        let load = Measurement {
            requests_per_second,
            p50: Duration::ZERO,
            p99: Duration::ZERO,
            bytes_per_answer: 0,
            count,
            count_with_warm_up: count,
        };
        let server_time_per_request = Duration::from_secs_f64(1.0 / rate(count, self.server));
        Measured { load, server_time_per_request }
    }
}

/// Measures the bare client. The sandbox is part of the server process, so its cost is the same as when the outbox is
/// drained.
async fn floor(world: &World, child: &Child, plan: Plan) -> Result<Measured> {
    let case = posts(bodies(world).await?);
    child.measure_sandbox(&case, Plan { connections: CONNECTIONS, ..plan }).await
}

/// The bodies that the sender would post for the messages in the outbox, each with a callback id of no message.
async fn bodies(world: &World) -> Result<Vec<String>> {
    let now = world.prepared.app().now();
    let rows = world.db().rows(&CONTENTS, params![TenantId::FIRST], store::read).await?;
    let body = |(recipient, content): (String, String)| {
        format!(
            "{{\"messaging_product\":\"whatsapp\",\"recipient_type\":\"individual\",\"to\":\"{recipient}\",\
             \"biz_opaque_callback_data\":\"{}\",{}",
            MessageId::new(now),
            content.trim_start_matches('{')
        )
    };
    Ok(rows.into_iter().map(body).collect())
}

fn posts(bodies: Vec<String>) -> Case {
    let path = format!("/v23.0/{PHONE_NUMBER_ID}/messages");
    let bearer = format!("authorization: Bearer {ACCESS_TOKEN}\r\n");
    let write = move |connection: usize, i: u64, out: &mut Vec<u8>| {
        let index = usize::try_from(i).unwrap_or(0) * CONNECTIONS + connection;
        post_request(out, &path, &bearer, &bodies[index % bodies.len()]);
    };
    Case { name: "the sandbox alone".to_owned(), expected_status: 200, write_request: Arc::new(write) }
}
