//! Owns the benchmark of sending: accepting recipients beside the floor, draining the outbox beside a bare client of the
//! same sandbox, and memory while very many messages wait. Each on a database of its own.

mod accept;
mod calls;
mod drain;
mod memory;
mod world;

use std::time::Duration;

use anyhow::Result;

use crate::Sends;
use crate::load::rate;
use crate::report::{PartResult, Report};
use crate::served::Database;

/// Recipients of the largest call there is.
const MOST: u64 = 10_000;
/// Contacts whom the business knows: more than the largest call writes to.
const KNOWN: u64 = 2 * MOST;
/// A server that does not get there within this time never will.
const TIMEOUT: Duration = Duration::from_mins(20);
/// Often enough to tell when something is over, seldom enough to cost nothing.
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
