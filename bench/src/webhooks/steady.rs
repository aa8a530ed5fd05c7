//! One healthy endpoint: recording and delivering at full speed, and a steady rate.

use anyhow::Result;

use super::outcome::Outcome;
use super::poster::{Pace, Until};
use super::receiver::Manner;
use super::spent::Spent;
use super::time::millis;
use super::world::World;
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::Database;

/// Calls per second beside a hanging neighbour.
pub const STEADY: u32 = 200;
/// Calls per second of the rows at a steady rate, with the names of their facts.
const RATES: [(u32, &str, &str); 2] = [
    (STEADY, "latency: post to receipt at 200 a second", "latency: for each at 200 a second"),
    (1000, "latency: post to receipt at 1000 a second", "latency: for each at 1000 a second"),
];

/// Names of the facts of a part at full speed.
macro_rules! facts_of {
    ($part:literal) => {
        [
            concat!($part, ": accepted"),
            concat!($part, ": post to receipt"),
            concat!($part, ": processor seconds for 10000 calls recorded and delivered"),
            concat!($part, ": for each"),
            concat!($part, ": resident memory before"),
            concat!($part, ": highest resident memory"),
        ]
    };
}

struct Ran {
    outcome: Outcome,
    row: Row,
    spent: Spent,
    repeats: u64,
    idle: String,
    peak: String,
}

/// Records calls as fast as they are accepted. The rate of deliveries is taken from the first post to the last receipt.
pub async fn together(common: &Common, database: Database, floor: Option<f64>) -> Result<PartResult> {
    let name = "together: delivered while calls are accepted; answer to receipt".to_owned();
    let ran = run(common, World::new(database).await?, Pace::AsFastAsPossible, name, floor).await?;
    Ok(ran.at_full_speed(facts_of!("together")))
}

/// The same on a database that was just created.
pub async fn on_new_database(common: &Common, database: Database, floor: Option<f64>) -> Result<PartResult> {
    let name = "new: the same on a new database; answer to receipt".to_owned();
    let world = World::on_new_database(database).await?;
    let ran = run(common, world, Pace::AsFastAsPossible, name, floor).await?;
    Ok(ran.at_full_speed(facts_of!("new")))
}

pub async fn latency(common: &Common, database: Database) -> Result<PartResult> {
    let (mut rows, mut facts) = (Vec::new(), Vec::new());
    for (calls, since_post, cost) in RATES {
        let name = format!("latency: {calls} calls a second; answer to receipt");
        let ran = run(common, World::new(database).await?, Pace::Steady(calls), name, None).await?;
        facts.push((since_post, ran.outcome.since_post()));
        facts.push((cost, ran.spent.for_each(ran.outcome.delivered)));
        rows.push(ran.row);
    }
    Ok(PartResult { rows, facts })
}

impl Ran {
    fn at_full_speed(self, names: [&'static str; 6]) -> PartResult {
        let outcome = &self.outcome;
        let accepted = format!(
            "{} calls, {:.0} a second; the last receipt {} after the last answer; {} of them twice",
            outcome.accepted,
            outcome.accepted_per_second(),
            millis(outcome.rest),
            self.repeats
        );
        let facts = [
            accepted,
            outcome.since_post(),
            self.spent.per_10000(outcome.delivered),
            self.spent.for_each(outcome.delivered),
            self.idle,
            self.peak,
        ];
        let facts = names.into_iter().zip(facts).collect();
        PartResult { rows: vec![self.row], facts }
    }
}

async fn run(common: &Common, world: World, pace: Pace, name: String, floor: Option<f64>) -> Result<Ran> {
    let plan = common.plan();
    let idle = format!("{:.1} MiB", world.child.resident_mebibytes()?);
    let webhook = world.listen(Manner::Good, 0).await?;
    let poster = world.poster(plan.connections);
    let warm = poster.run(pace, Until::Time(plan.warm_up)).await?.len() as u64;
    world.receiver.receive(warm).await?;
    let before = world.spent()?;
    let accepted = poster.run(pace, Until::Time(plan.measured)).await?;
    let receipts = world.receiver.receive(warm + accepted.len() as u64).await?;
    world.recorded(webhook).await?;
    let spent = world.spent()? - before;
    let outcome = Outcome::of(&accepted, &receipts, 1)?;
    let row = Row { name, measured: outcome.measured(world.bytes().await?, spent.server), floor };
    Ok(Ran { outcome, row, spent, repeats: receipts.repeats(), idle, peak: world.peak()? })
}
