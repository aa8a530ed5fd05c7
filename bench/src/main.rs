//! Benchmarks: each subcommand measures one area of the server beside its floor, in one run, with one client.

mod answer;
mod calls;
mod child;
mod clicks;
mod contacts;
mod floor;
mod histogram;
mod import;
mod inbound;
mod load;
mod report;
mod send;
mod served;
mod webhooks;

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};

use crate::{load::Plan, report::Report, served::Database};

/// The same as the server's, whose code runs in a child of this program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const WARM_UP: Duration = Duration::from_millis(500);
/// Beside it a hundred times as many rows should cost hardly more.
const SMALL_FILLING: u64 = 10_000;

#[derive(Debug, Parser)]
#[command(about = "Measures the server beside the floor of its HTTP stack")]
struct Command {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, Subcommand)]
enum Benchmark {
    /// Only the floor, for answers of 1, 14 and 64 KiB
    Floor(Common),
    /// The call log: plain, filtered and deep pages, and recording calls
    Calls(Filled),
    /// The contacts: importing, lists plain and filtered, one by each form of target, creating
    Contacts(Filled),
    /// What the network posts: the answer to a hook, and how fast it is worked off
    Inbound(OnDatabases),
    /// Tracked links: redirects of people and previews
    Clicks(Links),
    /// Sending templates: accepting recipients, draining the outbox, memory while a million messages wait
    Send(Sends),
    /// Telling others: accepting events, delivering them to one endpoint and to many, how long it takes
    Webhooks(Webhooks),
    /// The real server's process
    #[command(hide = true)]
    InternalServe {
        #[arg(long)]
        data: String,
        #[arg(long)]
        database: Option<String>,
    },
    /// The floor's server process
    #[command(hide = true)]
    InternalFloor {
        #[arg(long)]
        bytes: usize,
    },
    /// The process that webhooks are delivered to
    #[command(hide = true)]
    InternalReceiver,
}

/// What is measured on databases of two sizes.
#[derive(Args, Debug)]
struct Filled {
    #[command(flatten)]
    common: Common,
    /// Rows of the larger filling; the smaller has 10 000
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1000..))]
    count: u64,
    /// Which databases, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    databases: Vec<Database>,
}

impl Filled {
    async fn measure(&self, run: impl AsyncFn(&Common, Database, u64) -> Result<Report>) -> Result<()> {
        let mut reports = Vec::new();
        for database in &self.databases {
            for filling in [SMALL_FILLING, self.count] {
                reports.push(run(&self.common, *database, filling).await?);
            }
        }
        self.common.publish(&reports)
    }
}

/// What is measured on each database.
#[derive(Args, Debug)]
struct OnDatabases {
    #[command(flatten)]
    common: Common,
    /// Which databases, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    databases: Vec<Database>,
}

/// Which links are opened.
#[derive(Args, Debug)]
struct Links {
    #[command(flatten)]
    on: OnDatabases,
    /// How many links there are, each of a message of its own
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    links: u64,
}

/// What is sent.
#[derive(Args, Debug)]
struct Sends {
    #[command(flatten)]
    on: OnDatabases,
    /// Messages that wait when the server starts to drain
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    drained: u64,
    /// Messages that wait while memory is looked at
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    waiting: u64,
    /// Which parts, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "accept,drain,memory")]
    parts: Vec<send::Part>,
}

/// What others are told.
#[derive(Args, Debug)]
struct Webhooks {
    #[command(flatten)]
    on: OnDatabases,
    /// Events that wait when the server starts to drain; a tenth as many are told to many endpoints at once
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(10..))]
    events: u64,
    /// Endpoints where there are many; one in ten is dead or slow
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(10..))]
    endpoints: u64,
    /// Which parts, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "accept,drain,together,latency,many,neighbour")]
    parts: Vec<webhooks::Part>,
}

#[derive(Args, Debug)]
struct Common {
    /// Measured seconds of each row, after a warm-up of half a second
    #[arg(long, default_value_t = 5.0, value_parser = positive_seconds)]
    seconds: f64,
    /// Connections that ask at the same time, each one request after the other
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    connections: u16,
    /// Print JSON in place of the table
    #[arg(long)]
    json: bool,
    /// Also write the table to this file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Common {
    fn plan(&self) -> Plan {
        Plan { connections: self.connections.into(), warm_up: WARM_UP, measured: Duration::from_secs_f64(self.seconds) }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("machine", report::machine()),
            ("connections", self.connections.to_string()),
            ("seconds a row", self.seconds.to_string()),
        ]
    }

    fn publish(&self, reports: &[Report]) -> Result<()> {
        let markdown = reports.iter().map(Report::markdown).collect::<Vec<_>>().join("\n");
        if let Some(path) = &self.markdown {
            fs::write(path, &markdown).with_context(|| format!("writing {}", path.display()))?;
        }
        let json: Vec<_> = reports.iter().map(Report::json).collect();
        print(&if self.json { format!("{:#}\n", serde_json::Value::Array(json)) } else { markdown });
        Ok(())
    }
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds from 0.01 to 3600".to_owned()),
    }
}

#[expect(clippy::print_stdout, reason = "the results are the program's output")]
fn print(text: &str) {
    print!("{text}");
}

#[tokio::main]
async fn main() -> Result<()> {
    match Command::parse().benchmark {
        Benchmark::Floor(common) => {
            let rows = floor::rows(common.plan()).await?;
            common.publish(&[Report { title: "The floor".to_owned(), facts: common.facts(), rows }])
        }
        Benchmark::Calls(filled) => filled.measure(calls::run).await,
        Benchmark::Contacts(filled) => filled.measure(contacts::run).await,
        Benchmark::Inbound(on) => {
            let mut reports = Vec::new();
            for database in &on.databases {
                reports.push(inbound::run(&on.common, *database).await?);
            }
            on.common.publish(&reports)
        }
        Benchmark::Clicks(links) => {
            let mut reports = Vec::new();
            for database in &links.on.databases {
                reports.push(clicks::run(&links.on.common, *database, links.links).await?);
            }
            links.on.common.publish(&reports)
        }
        Benchmark::Send(sends) => {
            let mut reports = Vec::new();
            for database in &sends.on.databases {
                reports.push(send::run(&sends, *database).await?);
            }
            sends.on.common.publish(&reports)
        }
        Benchmark::Webhooks(webhooks) => {
            let mut reports = Vec::new();
            for database in &webhooks.on.databases {
                reports.push(webhooks::run(&webhooks, *database).await?);
            }
            webhooks.on.common.publish(&reports)
        }
        Benchmark::InternalServe { data, database } => served::serve_as_child(&data, database).await,
        Benchmark::InternalFloor { bytes } => floor::serve_as_child(bytes).await,
        Benchmark::InternalReceiver => webhooks::receive_as_child().await,
    }
}
