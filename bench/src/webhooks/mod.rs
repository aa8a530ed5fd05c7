//! Benchmark of webhooks: accepting events, draining a backlog compared with a bare client, both at once, latency, many
//! endpoints of which some are bad, and a tenant next to one whose endpoint hangs. Each part has its own database.

mod accept;
mod bare;
mod drain;
mod many;
mod neighbour;
mod outcome;
mod poster;
mod receipts;
mod receiver;
pub mod spent;
mod steady;
mod time;
mod world;

use anyhow::Result;
use clap::Args;

pub use receiver::receive_as_child;

use crate::options::OnDatabases;
use crate::report::{Report, Row};
use crate::served::Database;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Recording calls without and with an endpoint
    Accept,
    /// A prepared backlog to one endpoint, compared with the floor
    Drain,
    /// Recording calls as fast as possible while they are delivered
    Together,
    /// The same on a database that was just created
    New,
    /// Time from the answer to the receipt, and cost, at two steady rates
    Latency,
    /// Many endpoints, one in ten dead or slow
    Many,
    /// A tenant next to one whose endpoint hangs
    Neighbour,
}

/// Options of the webhook benchmark.
#[derive(Args, Debug)]
pub struct Webhooks {
    #[command(flatten)]
    pub on: OnDatabases,
    /// Events that wait when the server starts to drain; the part with many endpoints uses a tenth
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(10..))]
    events: u64,
    /// Number of endpoints in the part with many; one in ten is dead or slow
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(10..))]
    endpoints: u64,
    /// Which parts, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "accept,drain,together,latency,many,neighbour")]
    parts: Vec<Part>,
}

pub async fn run(webhooks: &Webhooks, database: Database) -> Result<Report> {
    let common = &webhooks.on.common;
    let (mut facts, mut rows): (_, Vec<Row>) = (common.facts(), Vec::new());
    // Posts per second of the bare client; parts after `drain` are compared with it.
    let mut floor = None;
    for part in &webhooks.parts {
        let result = match part {
            Part::Accept => accept::measure(common, database).await?,
            Part::Drain => {
                let (result, bare) = drain::measure(database, webhooks.events).await?;
                floor = Some(bare);
                result
            }
            Part::Together => steady::together(common, database, floor).await?,
            Part::New => steady::on_new_database(common, database, floor).await?,
            Part::Latency => steady::latency(common, database).await?,
            Part::Many => many::measure(common, database, webhooks.endpoints, webhooks.events / 10, floor).await?,
            Part::Neighbour => neighbour::measure(common, database).await?,
        };
        facts.extend(result.facts);
        rows.extend(result.rows);
    }
    Ok(Report { title: format!("Webhooks on {}", database.name()), facts, rows })
}
