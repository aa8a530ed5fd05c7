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
mod spent;
mod steady;
mod world;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;

pub use receiver::receive_as_child;

use crate::Webhooks;
use crate::report::{Report, Row};
use crate::served::Database;

/// Poll interval while waiting: precise enough for the measurement, rare enough to cost nothing.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The run fails if no delivery arrives for this time, or events are not numbered or deliveries not recorded after it.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Number of deliveries that costs are given for.
const DELIVERIES: f64 = 10_000.0;

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

/// Nanoseconds since 1970 by the system clock, which all processes of a run share.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Time between two results of `now`; zero if the second is not later.
fn between(earlier: u64, later: u64) -> Duration {
    Duration::from_nanos(later.saturating_sub(earlier))
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", 1e3 * time.as_secs_f64())
}
