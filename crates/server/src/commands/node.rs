//! `switchboard node`.

use app::platform::nodes::NodeView;
use clap::Subcommand;
use serde_json::json;

use super::Context;
use crate::output::Table;

const HELP: &str = "\
On PostgreSQL, each server reports every five seconds that it is alive. A server that stops removes its row; one that \
was killed is listed as gone for a day. SQLite allows one server at a time, so there is nothing to list.
With --json: an array of {\"id\", \"address\", \"version\", \"started_at\", \"last_seen_at\", \"alive\", \"jobs\"}; \
jobs lists the leases the node holds.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the servers that use this database: address, version, when last seen, and jobs.
    #[command(after_help = HELP)]
    List,
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::List => list(context).await,
        }
    }
}

async fn list(context: &Context) -> anyhow::Result<()> {
    let app = context.app().await?;
    let nodes = app.platform().nodes().await?;
    let shown: Vec<_> = nodes.iter().map(as_json).collect();
    Ok(context.output.print(&shown, || table(&nodes, app.db().engine()))?)
}

fn as_json(node: &NodeView) -> serde_json::Value {
    let NodeView { id, address, version, started_at, last_seen_at, alive, jobs } = node;
    json!({
        "id": id, "address": address, "version": version, "started_at": started_at.to_rfc3339(),
        "last_seen_at": last_seen_at.to_rfc3339(), "alive": alive, "jobs": jobs,
    })
}

fn table(nodes: &[NodeView], engine: store::Engine) -> String {
    if nodes.is_empty() {
        let why = match engine {
            store::Engine::Sqlite => "an embedded database allows only one server at a time",
            store::Engine::Postgres => "start one: switchboard serve",
        };
        return format!("no nodes: {why}");
    }
    let mut table = Table::new(&["address", "version", "started", "last seen", "state", "jobs"]);
    for node in nodes {
        table.row([
            node.address.clone(),
            node.version.clone(),
            node.started_at.to_rfc3339(),
            node.last_seen_at.to_rfc3339(),
            if node.alive { "alive" } else { "gone" }.to_owned(),
            node.jobs.len().to_string(),
        ]);
    }
    table.to_text()
}
