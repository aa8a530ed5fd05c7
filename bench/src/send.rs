//! Benchmark of sending: accepting recipients compared with the floor, draining the outbox compared with a bare client
//! of the same sandbox, and memory with many messages in the outbox. Each part has its own database.

mod accept;
mod calls;
mod drain;
mod memory;
mod world;

use std::time::Duration;

use anyhow::Result;

use crate::Sends;
use crate::load::rate;
use crate::report::Report;
use crate::served::Database;

/// Maximum recipients of one call.
const MOST: u64 = 10_000;
/// Existing contacts: more than the recipients of the largest call.
const KNOWN: u64 = 2 * MOST;
/// The run fails if the template is not approved, the outbox not drained or a report not applied after this time.
const TIMEOUT: Duration = Duration::from_mins(20);
/// Poll interval while waiting: precise enough for the measurement, rare enough to cost nothing.
const LOOK_EVERY: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    Accept,
    Drain,
    Memory,
}

pub async fn run(sends: &Sends, database: Database) -> Result<Report> {
    let common = &sends.on.common;
    let (mut facts, mut rows) = (common.facts(), Vec::new());
    for part in &sends.parts {
        let result = match part {
            Part::Accept => accept::measure(common, database).await?,
            Part::Drain => drain::measure(common, database, sends.drained).await?,
            Part::Memory => memory::measure(database, sends.waiting).await?,
        };
        facts.extend(result.facts);
        rows.extend(result.rows);
    }
    Ok(Report { title: format!("Sending on {}", database.name()), facts, rows })
}
