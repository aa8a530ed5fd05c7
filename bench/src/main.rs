//! Benchmarks: each subcommand measures one area of the server beside its floor, in one run, with one client.

mod answer;
mod child;
mod floor;
mod histogram;
mod load;
mod report;

use std::{path::PathBuf, time::Duration};

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::{load::Plan, report::Report};

const WARM_UP: Duration = Duration::from_millis(500);

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
    /// The floor's server process
    #[command(hide = true)]
    InternalFloor {
        #[arg(long)]
        bytes: usize,
    },
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

    fn publish(&self, report: &Report) -> Result<()> {
        if let Some(path) = &self.markdown {
            report.write_markdown(path)?;
        }
        print(&if self.json { format!("{:#}\n", report.json()) } else { report.markdown() });
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
            common.publish(&Report { title: "The floor".to_owned(), facts: common.facts(), rows })
        }
        Benchmark::InternalFloor { bytes } => floor::serve_as_child(bytes).await,
    }
}
