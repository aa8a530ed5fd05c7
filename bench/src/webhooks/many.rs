//! Many endpoints, some dead or slow: the effect on the healthy ones.

use anyhow::Result;

use super::outcome::Outcome;
use super::poster::{Pace, Until};
use super::receiver::Manner;
use super::time::millis;
use super::world::World;
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::Database;

/// One endpoint in this number is bad.
const BAD: u64 = 10;
/// Calls per second of the row at a steady rate; each is delivered to all endpoints.
const STEADY: u32 = 20;

pub async fn measure(
    common: &Common,
    database: Database,
    endpoints: u64,
    events: u64,
    floor: Option<f64>,
) -> Result<PartResult> {
    let (world, plan) = (World::new(database).await?, common.plan());
    let good = listen(&world, endpoints).await?;
    let poster = world.poster(plan.connections);

    let before = world.spent()?;
    let burst = poster.run(Pace::AsFastAsPossible, Until::Count(events)).await?;
    let receipts = world.receiver.receive(events * good).await?;
    let spent = world.spent()? - before;
    let outcome = Outcome::of(&burst, &receipts, good)?;
    let bytes = world.bytes().await?;
    let name =
        format!("many: {events} calls at once to {endpoints} endpoints, {good} of them healthy; answer to receipt");
    let mut rows = vec![Row { name, measured: outcome.measured(bytes, spent.server), floor }];
    let delivered = format!(
        "{} deliveries, the last receipt {} after the last answer; {} of them twice",
        outcome.delivered,
        millis(outcome.rest),
        receipts.repeats()
    );
    let mut facts = vec![
        ("many: to the healthy endpoints", delivered),
        ("many: processor seconds for 10000 deliveries", spent.per_10000(outcome.delivered)),
    ];

    let before = world.spent()?;
    let steady = poster.run(Pace::Steady(STEADY), Until::Time(plan.measured)).await?;
    let receipts = world.receiver.receive((events + steady.len() as u64) * good).await?;
    let spent = world.spent()? - before;
    let outcome = Outcome::of(&steady, &receipts, good)?;
    let name = format!("many: {STEADY} calls a second to the same; answer to receipt");
    rows.push(Row { name, measured: outcome.measured(bytes, spent.server), floor: None });
    facts.push(("many: post to receipt at a steady rate", outcome.since_post()));
    facts.push(("many: highest resident memory", world.peak()?));
    Ok(PartResult { rows, facts })
}

/// Adds the endpoints; returns the number of healthy ones.
async fn listen(world: &World, endpoints: u64) -> Result<u64> {
    let mut good = 0;
    for index in 0..endpoints {
        let manner = manner(index);
        world.listen(manner, index).await?;
        good += u64::from(manner == Manner::Good);
    }
    Ok(good)
}

/// Every tenth endpoint is bad, each kind of bad in turn.
fn manner(index: u64) -> Manner {
    match (index % BAD, index / BAD % 3) {
        (0, 0) => Manner::Hangs,
        (0, 1) => Manner::Refuses,
        (0, _) => Manner::Slow,
        _ => Manner::Good,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_ten_is_bad_in_each_way() {
        let count = |wanted| (0..100).filter(|index| manner(*index) == wanted).count();
        assert_eq!([Manner::Good, Manner::Hangs, Manner::Refuses, Manner::Slow].map(count), [90, 4, 3, 3]);
    }
}
