//! One healthy endpoint: recording and delivering at full speed, and a steady rate.

use anyhow::Result;

use super::millis;
use super::outcome::Outcome;
use super::poster::{Pace, Until};
use super::receiver::Manner;
use super::spent::Spent;
use super::world::World;
use crate::Common;
use crate::report::{PartResult, Row};
use crate::served::Database;

/// Calls per second of the rows at a steady rate.
pub const STEADY: u32 = 200;

struct Ran {
    outcome: Outcome,
    row: Row,
    spent: Spent,
    repeats: u64,
    peak: String,
}

/// Records calls as fast as they are accepted. The rate of deliveries is taken from the first post to the last receipt.
pub async fn together(common: &Common, database: Database, floor: Option<f64>) -> Result<PartResult> {
    let name = "together: delivered while calls are accepted; answer to receipt".to_owned();
    let ran = run(common, database, Pace::AsFastAsPossible, name, floor).await?;
    let outcome = &ran.outcome;
    let accepted = format!(
        "{} calls, {:.0} a second; the last receipt {} after the last answer; {} of them twice",
        outcome.accepted,
        outcome.accepted_per_second(),
        millis(outcome.rest),
        ran.repeats
    );
    let facts = vec![
        ("together: accepted", accepted),
        ("together: post to receipt", outcome.since_post()),
        ("together: processor seconds for 10000 calls recorded and delivered", ran.spent.per_10000(outcome.delivered)),
        ("together: highest resident memory", ran.peak),
    ];
    Ok(PartResult { rows: vec![ran.row], facts })
}

pub async fn latency(common: &Common, database: Database) -> Result<PartResult> {
    let name = format!("latency: {STEADY} calls a second; answer to receipt");
    let ran = run(common, database, Pace::Steady(STEADY), name, None).await?;
    let facts = vec![("latency: post to receipt", ran.outcome.since_post())];
    Ok(PartResult { rows: vec![ran.row], facts })
}

async fn run(common: &Common, database: Database, pace: Pace, name: String, floor: Option<f64>) -> Result<Ran> {
    let (world, plan) = (World::new(database).await?, common.plan());
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
    Ok(Ran { outcome, row, spent, repeats: receipts.repeats(), peak: world.peak()? })
}
