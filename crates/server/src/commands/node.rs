//! `switchboard node`.

use app::platform::nodes::NodeView;
use clap::Subcommand;
use serde_json::json;
use store::base::citus::{self, Server};

use super::Context;
use crate::output::Table;

const HELP: &str = "\
On PostgreSQL, each server reports every five seconds that it is alive. A server that stops removes its row; one that \
was killed is listed as gone for a day. SQLite allows one server at a time, so there is nothing to list.
On a Citus cluster, the coordinator and the workers are listed too: their address, whether the coordinator reaches \
them, and their shards of each table.
With --json: an array of {\"id\", \"address\", \"version\", \"started_at\", \"last_seen_at\", \"alive\", \"jobs\"}; \
jobs lists the leases the node holds. A server of a Citus cluster is {\"kind\": \"coordinator\" or \"worker\", \"address\", \
\"alive\", \"shards\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the servers that use this database, and the workers of a Citus cluster.
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
    let mut servers = Vec::new();
    for server in citus::cluster(app.db()).await?.map(|cluster| cluster.servers).unwrap_or_default() {
        let alive = server.is_active && server.is_reachable(app.db()).await?;
        servers.push((server, alive));
    }
    let mut shown: Vec<_> = nodes.iter().map(as_json).collect();
    shown.extend(servers.iter().map(|(server, alive)| server_json(server, *alive)));
    let text = || [table(&nodes, app.db().engine()), cluster_table(&servers)].join("\n").trim_end().to_owned();
    Ok(context.output.print(&shown, text)?)
}

fn kind(server: &Server) -> &'static str {
    if server.is_coordinator() { "coordinator" } else { "worker" }
}

fn server_json(server: &Server, alive: bool) -> serde_json::Value {
    json!({"kind": kind(server), "address": server.address.to_string(), "alive": alive, "shards": server.shards})
}

/// Empty without a cluster.
fn cluster_table(servers: &[(Server, bool)]) -> String {
    if servers.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["database server", "kind", "state", "shards"]);
    for (server, alive) in servers {
        table.row([
            server.address.to_string(),
            kind(server).to_owned(),
            if *alive { "alive" } else { "away" }.to_owned(),
            server.shards.to_string(),
        ]);
    }
    table.to_text()
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
