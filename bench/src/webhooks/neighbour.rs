//! Two tenants: the endpoint of one never answers; measures the effect on the other.

use anyhow::Result;
use domain::TenantId;

use super::outcome::Outcome;
use super::poster::{Pace, Poster, Until};
use super::receiver::Manner;
use super::steady::STEADY;
use super::world::World;
use crate::load::Plan;
use crate::options::Common;
use crate::report::{PartResult, Row};
use crate::served::Database;

const OTHER: TenantId = TenantId::from_number(100_002);
/// Connections of the tenant whose endpoint hangs: few enough that its posts alone do not saturate the machine.
const CONNECTIONS: usize = 4;

pub async fn measure(common: &Common, database: Database) -> Result<PartResult> {
    let (world, plan) = (World::new(database).await?, common.plan());
    let token = world.prepared.add_tenant(OTHER).await?;
    world.listen(Manner::Hangs, 0).await?;
    world.listen_for(&token, Manner::Good, 1).await?;
    let (hanging, well) = (world.poster(CONNECTIONS), world.poster_for(&token, plan.connections));
    let mut run =
        Run { world: &world, hanging, well, plan, delivered: 0, result: PartResult { rows: vec![], facts: vec![] } };
    run.row("neighbour: post to receipt beside a hanging one at the same rate", "the same rate", Pace::Steady(STEADY))
        .await?;
    let name = "neighbour: post to receipt beside a hanging one that records as fast as it can";
    run.row(name, "full speed on 4 connections", Pace::AsFastAsPossible).await?;
    Ok(run.result)
}

struct Run<'a> {
    world: &'a World,
    hanging: Poster,
    well: Poster,
    plan: Plan,
    delivered: u64,
    result: PartResult,
}

impl Run<'_> {
    /// Measures while the healthy tenant records at a steady rate and the other one at `pace`, which `beside`
    /// describes.
    async fn row(&mut self, fact: &'static str, beside: &str, pace: Pace) -> Result<()> {
        let (until, before) = (Until::Time(self.plan.measured), self.world.spent()?);
        let (accepted, of_neighbour) =
            tokio::try_join!(self.well.run(Pace::Steady(STEADY), until), self.hanging.run(pace, until))?;
        self.delivered += accepted.len() as u64;
        let receipts = self.world.receiver.receive(self.delivered).await?;
        let spent = self.world.spent()? - before;
        let outcome = Outcome::of(&accepted, &receipts, 1)?;
        let name = format!("neighbour: {STEADY} calls a second, beside a hanging one at {beside}; answer to receipt");
        let measured = outcome.measured(self.world.bytes().await?, spent.server);
        self.result.rows.push(Row { name, measured, floor: None });
        self.result
            .facts
            .push((fact, format!("{}; {} calls of the neighbour", outcome.since_post(), of_neighbour.len())));
        Ok(())
    }
}
