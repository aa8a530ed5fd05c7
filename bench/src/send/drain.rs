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
use crate::load::{Case, Plan, post_request, rate};
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::{ACCESS_TOKEN, Database, PHONE_NUMBER_ID};

/// Few enough that the sandbox, which reads all of its people at the start, is ready at once.
const PEOPLE: u64 = 2_000;
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
    world.fill(&child, Whom::Known(world.known.clone()), count, |_| ()).await?;
    let floor = floor(&world, &child, common.plan()).await?;
    // Reports caused by the floor must not count as cost of draining.
    world.reported().await?;
    drop(child);
    world.release().await?;
    world.prepared.settle().await?;

    let began = Instant::now();
    let child = world.prepared.serve()?;
    world.drained().await?;
    let (took, processor) = (began.elapsed(), child.processor_time()?);
    world.reported().await?;
    let drained = began.elapsed();
    let read = world.read().await?;
    ensure!(read == count, "{read} of {count} messages were read");
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
    let facts = vec![
        ("drained from the start", drained),
        ("processor seconds for 10000 messages drained, the sandbox and reports included", processor),
        ("resident memory after draining", format!("{:.1} MiB", child.resident_mebibytes()?)),
    ];
    let name = format!("floor: a bare client posts to the sandbox on {CONNECTIONS} connections");
    Ok(PartResult { rows: vec![Row { name, measured: floor, floor: None }], facts })
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
