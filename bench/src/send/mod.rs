//! Benchmark of sending: accepting recipients compared with the floor, draining the outbox compared with a bare client
//! of the same sandbox, and memory with many messages in the outbox. Each part has its own database.

mod accept;
mod calls;
mod drain;
mod memory;
mod world;

use anyhow::Result;
use clap::Args;

use crate::options::OnDatabases;
use crate::report::Report;
use crate::served::Database;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    Accept,
    Drain,
    Memory,
}

/// Options of the send benchmark.
#[derive(Args, Debug)]
pub struct Sends {
    #[command(flatten)]
    pub on: OnDatabases,
    /// Messages in the outbox when the server starts to drain
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    drained: u64,
    /// Messages in the outbox while memory is measured
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    waiting: u64,
    /// Contacts that exist when accepting is measured; calls with more recipients than contacts are left out
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    known: u64,
    /// Which parts, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "accept,drain,memory")]
    parts: Vec<Part>,
}

pub async fn run(sends: &Sends, database: Database) -> Result<Report> {
    let common = &sends.on.common;
    let (mut facts, mut rows) = (common.facts(), Vec::new());
    for part in &sends.parts {
        let result = match part {
            Part::Accept => accept::measure(common, database, sends.known).await?,
            Part::Drain => drain::measure(common, database, sends.drained).await?,
            Part::Memory => memory::measure(database, sends.waiting).await?,
        };
        facts.extend(result.facts);
        rows.extend(result.rows);
    }
    Ok(Report { title: format!("Sending on {}", database.name()), facts, rows })
}
