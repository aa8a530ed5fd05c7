//! Nodes that are replaced one after the other under load, behind a load balancer that asks them whether they are ready.
//! No request may fail, also while the migration of a next version runs beside nodes of this one, on one server and on a
//! database that Citus distributes.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use domain::Clock;
use futures_util::future::join_all;
use reqwest::Client;
use serde_json::json;
use store::migrations::{MIGRATIONS, Migration, apply};
use testkit::postgres::{CITUS_VARIABLE, Citus, Options};

use super::{is_so, sql};
use crate::home::Home;
use crate::kill::walk;
use crate::server::Server;
use crate::{eventually, http};

const CLIENTS: usize = 8;
const DRAIN: (&str, &str) = ("SWITCHBOARD_SERVER_DRAIN_SECONDS", "2");
/// How often the load balancer asks: it notices long before a drain ends.
const ASKS_EVERY: Duration = Duration::from_millis(50);
/// Requests before and after each step.
const SOME: usize = 100;
/// What a migration of a next version may do while nodes of this one serve.
const MIGRATION: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS later (tenant_id BIGINT NOT NULL, id BYTEA NOT NULL, PRIMARY KEY (tenant_id, id))",
    "ALTER TABLE calls ADD COLUMN IF NOT EXISTS later TEXT",
    "CREATE INDEX IF NOT EXISTS calls_later ON calls (tenant_id, later)",
];

/// The same as migrations, which distribute their new table.
const NEXT: [Migration; 3] = [
    Migration { name: "9001_later", sql: MIGRATION[0] },
    Migration { name: "9002_later", sql: MIGRATION[1] },
    Migration { name: "9003_later", sql: MIGRATION[2] },
];

/// A load balancer and its clients.
#[derive(Default)]
struct Load {
    /// Addresses of all nodes, and of those that said last that they are ready.
    nodes: Mutex<Vec<String>>,
    ready: Mutex<Vec<String>>,
    recorded: AtomicUsize,
    failures: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl Load {
    fn add(&self, node: &Server) {
        self.nodes.lock().unwrap().push(node.url(""));
    }

    fn remove(&self, node: &Server) {
        self.nodes.lock().unwrap().retain(|one| *one != node.url(""));
    }

    fn is_ready(&self, node: &Server) -> bool {
        self.ready.lock().unwrap().contains(&node.url(""))
    }

    async fn balance(&self) {
        let client = http();
        while !self.is_over.load(Ordering::Relaxed) {
            let mut ready = Vec::new();
            let nodes = self.nodes.lock().unwrap().clone();
            for node in nodes {
                let asked = client.get(format!("{node}/readyz")).send().await;
                if asked.is_ok_and(|answer| answer.status().is_success()) {
                    ready.push(node);
                }
            }
            *self.ready.lock().unwrap() = ready;
            tokio::time::sleep(ASKS_EVERY).await;
        }
    }

    /// One client, which keeps its connections.
    async fn record(&self, token: &str, client: usize) {
        let http = http();
        for number in 0.. {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            let ready = self.ready.lock().unwrap().clone();
            let Some(node) = ready.get((client + number) % ready.len().max(1)) else {
                tokio::time::sleep(ASKS_EVERY).await;
                continue;
            };
            match record(&http, node, token, &format!("{client}-{number}")).await {
                Ok(()) => drop(self.recorded.fetch_add(1, Ordering::Relaxed)),
                Err(failure) => self.failures.lock().unwrap().push(failure),
            }
        }
    }

    /// Checks that no request has failed, and that each recorded call is there once.
    async fn check(self, node: &Server, token: &str) {
        let failures = self.failures.lock().unwrap().join("\n");
        assert!(failures.is_empty(), "{failures}");
        let found = walk(node, token).await;
        let names: BTreeSet<&String> = found.iter().map(|(name, _)| name).collect();
        assert_eq!((found.len(), names.len()), (self.recorded.into_inner(), found.len()));
    }

    /// Waits until some more requests have been answered.
    async fn some(&self) {
        let until = self.recorded.load(Ordering::Relaxed) + SOME;
        let is_reached = || self.recorded.load(Ordering::Relaxed) >= until || !self.failures.lock().unwrap().is_empty();
        eventually("requests are answered", async || is_reached().then_some(())).await;
    }
}

async fn record(http: &Client, node: &str, token: &str, name: &str) -> Result<(), String> {
    let call = json!({
        "call_id": name, "direction": "inbound", "from_number": "14155552671",
        "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
    });
    let sent = http.post(format!("{node}/api/ext/v3/calls")).bearer_auth(token).json(&call).send().await;
    let answer = sent.map_err(|error| format!("{name} at {node}: {error:?}"))?;
    let status = answer.status();
    let body = answer.text().await.map_err(|error| format!("{name} at {node}: {error:?}"))?;
    if status.is_success() { Ok(()) } else { Err(format!("{name} at {node}: {status} {body}")) }
}

/// Puts a new node in place of this one; returns the new one.
async fn replace(load: &Load, home: &Home, old: Server) -> Server {
    let new = Server::start_with(home, &[DRAIN]);
    load.add(&new);
    eventually("the new node gets requests", async || load.is_ready(&new).then_some(())).await;
    old.send_sigterm();
    eventually("the old node gets no requests", async || (!load.is_ready(&old)).then_some(())).await;
    // It still answers those that come nevertheless, and says that it will close their connections.
    let late = http().get(old.url("/healthz")).send().await.unwrap();
    assert_eq!((late.status().as_u16(), late.headers()["connection"].to_str().unwrap()), (200, "close"));
    load.remove(&old);
    let (status, log) = tokio::task::block_in_place(|| old.wait());
    assert!(status.success() && !log.contains("did not finish in time"), "{log}");
    new
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_fails_while_nodes_are_replaced_and_a_migration_runs() {
    let home = Home::postgres().await;
    let nodes = [Server::start_with(&home, &[DRAIN]), Server::start_with(&home, &[DRAIN])];
    let (load, token) = (Load::default(), nodes[0].token());
    for node in &nodes {
        load.add(node);
    }
    let update = async {
        load.some().await;
        let mut replaced = Vec::new();
        for node in nodes {
            replaced.push(replace(&load, &home, node).await);
            load.some().await;
            let db = home.db();
            for command in MIGRATION {
                sql(&db, command).await;
                load.some().await;
            }
        }
        load.is_over.store(true, Ordering::Relaxed);
        replaced
    };
    let clients = join_all((0..CLIENTS).map(|client| load.record(&token, client)));
    let ((), _, nodes) = tokio::join!(load.balance(), clients, update);
    load.check(&nodes[0], &token).await;
    drop(nodes);
    home.remove().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_fails_while_a_distributed_database_migrates() {
    let Some(citus) = Citus::start(Options::for_tests()).unwrap() else {
        println!("skipped: {CITUS_VARIABLE} is not set");
        return;
    };
    let home = Home::at_url(citus.url().to_owned(), Vec::new());
    home.run("migrate --create --distribute --shards 4");
    let nodes = [Server::start(&home), Server::start(&home)];
    let (load, token, db) = (Load::default(), nodes[0].token(), home.db());
    for node in &nodes {
        load.add(node);
    }
    let update = async {
        load.some().await;
        for count in 1..=NEXT.len() {
            let steps = [MIGRATIONS, &NEXT[..count]].concat();
            assert_eq!(apply(&db, &Clock::system(), &steps).await.unwrap(), [NEXT[count - 1].name]);
            load.some().await;
        }
        load.is_over.store(true, Ordering::Relaxed);
    };
    let clients = join_all((0..CLIENTS).map(|client| load.record(&token, client)));
    tokio::join!(load.balance(), clients, update);
    let distributed = "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'later'::regclass AND partmethod = 'h'";
    assert!(is_so(&db, distributed).await, "the new table is not distributed");
    load.check(&nodes[0], &token).await;
}
