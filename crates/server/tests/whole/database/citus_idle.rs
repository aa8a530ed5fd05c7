//! How often idle nodes ask all workers of a database that Citus distributes, as its coordinator counts it, and that two
//! nodes deliver each other's events nevertheless. Only where `SWITCHBOARD_TEST_CITUS_FOLDER` names what
//! `scripts/build-citus` has built: the count is that of a whole cluster.

use std::time::{Duration, Instant};

use serde_json::json;
use store::{Db, Statement, read};
use testkit::postgres::{CITUS_VARIABLE, Citus, Options};

use super::sql;
use crate::home::Home;
use crate::http;
use crate::server::Server;
use crate::webhooks::receiver::Receiver;

/// Most statements a second with which one idle node asks all workers.
const IDLE_STATEMENTS: f64 = 1.0;
/// In its first seconds, a node reads more, and finds the others.
const SETTLED: Duration = Duration::from_secs(6);
/// Three times the time between two polls over all tenants.
const OBSERVED: Duration = Duration::from_mins(1);
/// So many endpoints that each node owns some.
const ENDPOINTS: usize = 12;
/// Calls that each node records.
const CALLS: usize = 5;
/// Less than the time between two polls.
const DELIVERED: Duration = Duration::from_secs(10);
const COUNTED: &str = "SELECT query_execution_multi_shard, query_execution_single_shard FROM citus_stat_counters
    WHERE name = current_database()";

async fn counted(db: &Db) -> [i64; 2] {
    let found: Option<(i64, i64)> = db.row(&Statement::composed("test", COUNTED.to_owned()), &[], read).await.unwrap();
    found.unwrap().into()
}

/// Waits for the nodes to be idle and returns how many statements a second each of them has sent: those that asked all
/// workers, and those that asked one server.
async fn observe(db: &Db, nodes: u32) -> [f64; 2] {
    tokio::time::sleep(SETTLED).await;
    let (before, began) = (counted(db).await, Instant::now());
    tokio::time::sleep(OBSERVED).await;
    let (after, seconds) = (counted(db).await, began.elapsed().as_secs_f64());
    [0, 1].map(|kind| f64::from(i32::try_from(after[kind] - before[kind]).unwrap()) / seconds / f64::from(nodes))
}

async fn post(node: &Server, path: &str, token: &str, body: serde_json::Value) {
    let answer = http().post(node.url(path)).bearer_auth(token).json(&body).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_nodes_hardly_ask_all_workers_and_hear_of_each_other() {
    let Some(citus) = Citus::start(Options::for_tests()).unwrap() else {
        println!("skipped: {CITUS_VARIABLE} is not set");
        return;
    };
    let settings = vec![("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8".to_owned())];
    let home = Home::at_url(citus.url().to_owned(), settings);
    home.run("migrate --create --distribute --shards 4");
    let db = home.db();
    sql(&db, "ALTER SYSTEM SET citus.enable_stat_counters = on").await;
    sql(&db, "SELECT pg_reload_conf()").await;

    let one = Server::start(&home);
    let token = one.token();
    let [alone, alone_single] = observe(&db, 1).await;
    let other = Server::start(&home);
    let [beside, beside_single] = observe(&db, 2).await;
    println!(
        "statements of an idle node a second: alone {alone:.2} ask all workers and {alone_single:.1} one server; beside \
         another node {beside:.2} and {beside_single:.1}"
    );
    assert!(alone_single > 0.0 && alone > 0.0, "nothing was counted");
    assert!(alone < IDLE_STATEMENTS && beside < IDLE_STATEMENTS, "{alone} alone, {beside} beside another node");

    let receiver = Receiver::accepting().await;
    for number in 0..ENDPOINTS {
        let webhook = json!({"url": receiver.url(&format!("/{number}")), "eventTypes": ["call.status"]});
        post(&one, "/api/ext/v3/webhooks", &token, webhook).await;
    }
    // A node reads the changed webhooks within half a second.
    tokio::time::sleep(SETTLED).await;
    let began = Instant::now();
    for number in 0..CALLS {
        for (node, name) in [(&one, "one"), (&other, "other")] {
            let call = json!({
                "call_id": format!("{name}-{number}"), "direction": "inbound", "from_number": "14155552671",
                "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
            });
            post(node, "/api/ext/v3/calls", &token, call).await;
        }
    }
    receiver.has_accepted(2 * CALLS * ENDPOINTS).await;
    let took = began.elapsed();
    println!("{} calls at two nodes were delivered to {ENDPOINTS} endpoints of both after {took:?}", 2 * CALLS);
    assert!(took < DELIVERED, "{took:?}");
    for node in [one, other] {
        let (status, log) = node.terminate();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
}
