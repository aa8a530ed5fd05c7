//! Options that benchmarks share.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, Result};
use clap::Args;

use crate::{
    load::Plan,
    report::{self, Report},
    served::Database,
};

const WARM_UP: Duration = Duration::from_millis(500);

/// Options of benchmarks on each database.
#[derive(Args, Debug)]
pub struct OnDatabases {
    #[command(flatten)]
    pub common: Common,
    /// Which databases, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    pub databases: Vec<Database>,
}

impl OnDatabases {
    /// Measures each database and publishes the reports.
    pub async fn measure(&self, run: impl AsyncFn(&Common, Database) -> Result<Report>) -> Result<()> {
        let mut reports = Vec::new();
        for database in &self.databases {
            reports.push(run(&self.common, *database).await?);
        }
        self.common.publish(&reports)
    }
}

#[derive(Args, Debug)]
pub struct Common {
    /// Measured seconds of each row, after a warm-up of half a second
    #[arg(long, default_value_t = 5.0, value_parser = positive_seconds)]
    seconds: f64,
    /// Number of connections, each with one request at a time
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    connections: u16,
    /// Print JSON instead of the table
    #[arg(long)]
    json: bool,
    /// Also write the table to this file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

impl Common {
    pub fn plan(&self) -> Plan {
        Plan { connections: self.connections.into(), warm_up: WARM_UP, measured: Duration::from_secs_f64(self.seconds) }
    }

    pub fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("machine", report::machine()),
            ("connections", self.connections.to_string()),
            ("seconds a row", self.seconds.to_string()),
        ]
    }

    pub fn publish(&self, reports: &[Report]) -> Result<()> {
        let tables = reports.iter().map(Report::markdown).chain(report::comparisons(reports));
        let markdown = tables.collect::<Vec<_>>().join("\n");
        if let Some(path) = &self.markdown {
            fs::write(path, &markdown).with_context(|| format!("writing {}", path.display()))?;
        }
        let json: Vec<_> = reports.iter().map(Report::json).collect();
        report::print(&if self.json { format!("{:#}\n", serde_json::Value::Array(json)) } else { markdown });
        Ok(())
    }
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds from 0.01 to 3600".to_owned()),
    }
}
