//! Accepting: calls with 1, 100 and 10 000 recipients, once scheduled far in the future, so that only accepting is
//! measured, and once for now, while the sender and the sandbox work on the same cores.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::calls::{Calls, MOST, When, Whom};
use super::world::World;
use crate::child::{Child, Measured};
use crate::floor;
use crate::load::{Plan, rate};
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::Database;

const SIZES: [u64; 3] = [1, 100, MOST];
/// Number of the largest calls, sent one after the other on one connection.
const LARGE_CALLS: u64 = 9;

/// A run, with its results so far.
struct Run<'a> {
    world: &'a World,
    child: &'a Child,
    plan: Plan,
    /// Number of recipients in all answered calls so far.
    asked: u64,
    rows: Vec<Row>,
}

pub async fn measure(common: &Common, database: Database, known: u64) -> Result<PartResult> {
    let world = World::new(database, known).await?;
    let child = world.serve().await?;
    let mut run = Run { world: &world, child: &child, plan: common.plan(), asked: 0, rows: Vec::new() };
    let mut facts = vec![("known contacts", known.to_string())];
    let whom = || Whom::Known(world.known.clone());
    let (mut floors, mut alone) = (Vec::new(), Vec::new());
    for size in SIZES.into_iter().filter(|size| *size <= known) {
        let floor = run.floor(size).await?;
        floors.push((size, floor));
        alone.push((size, run.row("for a day far ahead", whom(), When::FarAhead, size, floor).await?));
    }
    facts.push(("recipients a second, nothing leaves meanwhile", rates(&alone)));
    let largest = alone.pop().filter(|(size, _)| *size == MOST).map(|(_, measured)| measured);
    if let (Some(largest), Some((_, floor))) = (&largest, floors.last()) {
        facts.push(("10000 recipients in one call", seconds(largest)));
        let unknown = run.row("to unknown people", Whom::Unknown, When::FarAhead, MOST, *floor).await?;
        facts.push(("10000 unknown recipients in one call", seconds(&unknown)));
    }
    let mut busy = Vec::new();
    for (size, floor) in floors {
        busy.push((size, run.row("while messages leave", whom(), When::Now, size, floor).await?));
    }
    facts.push(("recipients a second, while messages leave", rates(&busy)));
    facts.push(("resident memory after accepting", format!("{:.1} MiB", child.resident_mebibytes()?)));
    if let (Some(largest), Some((_, leaving))) = (&largest, busy.last()) {
        facts.push(("10000 recipients in one call, while messages leave", seconds(leaving)));
        let processor = format!("{:.2}", largest.server_time_per_request.as_secs_f64());
        facts.push(("processor seconds for 10000 recipients in one call", processor));
    }
    Ok(PartResult { rows: run.rows, facts })
}

impl Run<'_> {
    /// Measures the floor: the same bodies, answered with the same number of bytes. Returns requests per second.
    async fn floor(&mut self, recipients: u64) -> Result<f64> {
        let connections = if recipients < MOST { self.plan.connections } else { 1 };
        let plan = Plan { connections, ..self.plan };
        let calls = Calls::new(Whom::Known(self.world.known.clone()), When::FarAhead);
        let bytes = self.answer_bytes(recipients).await?;
        let name = format!("floor: {recipients} posted, {bytes} bytes answered");
        let measured = floor::measure_posts(bytes, &calls.case(name.clone(), "none", recipients), plan).await?;
        let per_second = measured.load.requests_per_second;
        self.rows.push(Row { name, measured, floor: None });
        Ok(per_second)
    }

    async fn answer_bytes(&mut self, recipients: u64) -> Result<usize> {
        let calls = Calls::new(Whom::Known(self.world.known.clone()), When::FarAhead);
        let (body, token) = (calls.body(recipients), self.world.prepared.token());
        let answer = crate::child::tell(self.child.address, calls.path(), token, &body).await?;
        self.asked += recipients;
        Ok(answer.len())
    }

    async fn row(&mut self, how: &str, whom: Whom, when: When, recipients: u64, floor: f64) -> Result<Measured> {
        let name = format!("{recipients} {how}");
        let case = Calls::new(whom, when).case(name.clone(), self.world.prepared.token(), recipients);
        let measured = match recipients {
            MOST => self.child.measure_calls(&case, LARGE_CALLS).await,
            _ => self.child.measure(&case, self.plan).await,
        };
        let measured = measured.with_context(|| name.clone())?;
        self.asked += recipients * measured.load.count_with_warm_up;
        let accepted = self.world.accepted().await?;
        ensure!(accepted == self.asked, "{accepted} of {} recipients were accepted", self.asked);
        self.rows.push(Row { name, measured: measured.clone(), floor: Some(floor) });
        Ok(measured)
    }
}

fn rates(rows: &[(u64, Measured)]) -> String {
    let one = |(size, measured): &(u64, Measured)| format!("{:.0} in calls of {size}", recipients(*size, measured));
    rows.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Recipients per second: of the largest calls, which are few, from their median duration; of the others from calls per
/// second.
fn recipients(size: u64, measured: &Measured) -> f64 {
    let load = &measured.load;
    if size < MOST { rate(size, Duration::from_secs_f64(1.0 / load.requests_per_second)) } else { rate(size, load.p50) }
}

fn seconds(measured: &Measured) -> String {
    let load = &measured.load;
    format!("median {:.2} s of {} calls, one after the other", load.p50.as_secs_f64(), load.count)
}
