//! Benchmarks: each subcommand measures one area of the server and its floor, in one run, with one client.

mod answer;
mod calls;
mod child;
mod clicks;
mod contacts;
mod floor;
mod histogram;
mod import;
mod inbound;
mod inbox;
mod load;
mod media;
mod options;
mod report;
mod send;
mod served;
mod statements;
mod tenants;
mod webhooks;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::{
    options::{Common, OnDatabases},
    report::Report,
    send::Sends,
    served::Database,
    webhooks::Webhooks,
};

/// The same allocator as the server's, because the server is measured in a child process of this binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rows of the smaller database, for comparison with the larger one (`--count`).
const SMALL_FILLING: u64 = 10_000;

#[derive(Debug, Parser)]
#[command(about = "Measures the server beside the floor of its HTTP stack")]
struct Command {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, Subcommand)]
enum Benchmark {
    /// The floor alone, for answers of 1, 14 and 64 KiB
    Floor(Common),
    /// The call log: plain, filtered and deep pages, and recording calls
    Calls(Filled),
    /// The contacts: importing, lists plain and filtered, one by each form of target, creating
    Contacts(Filled),
    /// Hooks: the answer to a posted body, and how fast the journal is applied
    Inbound(OnDatabases),
    /// The inbox: its pages and a thread, with 100 conversations and with many
    Inbox(Conversations),
    /// Received files: bytes written for each, and the delay of text messages beside a burst
    Media(OnDatabases),
    /// Tracked links: redirects of people and previews
    Clicks(Links),
    /// Sending templates: accepting recipients, draining the outbox, memory while a million messages wait
    Send(Sends),
    /// Many tenants with a webhook each: an idle server, and one change of a webhook
    Tenants(Tenants),
    /// Webhooks: accepting events, delivering them to one endpoint and to many, latency
    Webhooks(Webhooks),
    /// What each use case asks of the database: statements, round trips, rows, bytes, writes of indexes
    Statements {
        /// Which databases, separated by commas
        #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
        databases: Vec<Database>,
    },
    /// The real server's process
    #[command(hide = true)]
    InternalServe {
        #[command(flatten)]
        location: served::Location,
        #[command(flatten)]
        options: served::ServerOptions,
    },
    /// The floor's server process
    #[command(hide = true)]
    InternalFloor {
        #[arg(long)]
        bytes: usize,
    },
    /// The process of a floor with a database
    #[command(hide = true)]
    InternalDatabaseFloor {
        #[arg(long)]
        kind: floor::database::Kind,
        #[command(flatten)]
        location: served::Location,
    },
    /// The process that webhooks are delivered to
    #[command(hide = true)]
    InternalReceiver,
}

/// Options of benchmarks on databases of two sizes.
#[derive(Args, Debug)]
struct Filled {
    #[command(flatten)]
    common: Common,
    /// Rows of the larger database; the smaller has 10 000
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

/// Options of the inbox benchmark.
#[derive(Args, Debug)]
struct Conversations {
    #[command(flatten)]
    on: OnDatabases,
    /// Conversations of the larger database; the smaller has 100
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(100..))]
    count: u64,
}

/// Options of the click benchmark.
#[derive(Args, Debug)]
struct Links {
    #[command(flatten)]
    on: OnDatabases,
    /// Number of links, each in its own message
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    links: u64,
}

/// Options of the benchmark of many tenants.
#[derive(Args, Debug)]
struct Tenants {
    #[command(flatten)]
    on: OnDatabases,
    /// Number of tenants
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
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
        Benchmark::Inbound(on) => on.measure(inbound::run).await,
        Benchmark::Inbox(conversations) => {
            let (on, mut reports) = (&conversations.on, Vec::new());
            for database in &on.databases {
                for count in [inbox::FEW, conversations.count] {
                    reports.push(inbox::run(&on.common, *database, count).await?);
                }
            }
            on.common.publish(&reports)
        }
        Benchmark::Media(on) => on.measure(media::run).await,
        Benchmark::Clicks(links) => {
            links.on.measure(async |common, database| clicks::run(common, database, links.links).await).await
        }
        Benchmark::Send(sends) => sends.on.measure(async |_, database| send::run(&sends, database).await).await,
        Benchmark::Tenants(tenants) => {
            tenants.on.measure(async |common, database| tenants::run(common, database, tenants.count).await).await
        }
        Benchmark::Webhooks(webhooks) => {
            webhooks.on.measure(async |_, database| webhooks::run(&webhooks, database).await).await
        }
        Benchmark::Statements { databases } => {
            report::print(&Box::pin(statements::run(&databases)).await?);
            Ok(())
        }
        Benchmark::InternalServe { location, options } => served::serve_as_child(location, &options).await,
        Benchmark::InternalFloor { bytes } => floor::serve_as_child(bytes).await,
        Benchmark::InternalDatabaseFloor { kind, location } => floor::database::serve_as_child(kind, location).await,
        Benchmark::InternalReceiver => webhooks::receive_as_child().await,
    }
}
