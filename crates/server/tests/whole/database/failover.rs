//! A fail-over to a synchronous standby under load: the primary is killed, the standby promoted behind the same
//! address. Long form only.

use std::time::Instant;

use super::calls::Calls;
use super::forwarder::Forwarder;
use super::{get, is_so, private_postgres, sql, url_at};
use crate::home::Home;
use crate::server::Server;
use crate::{eventually, is_long};

const TOTAL: usize = 6_000;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_a_standby_takes_over() {
    if !is_long() {
        return;
    }
    let mut primary = private_postgres();
    let standby = primary.standby().unwrap();
    let forwarder = Forwarder::to(primary.port()).await;
    let home = Home::on_server(&primary, vec![("SWITCHBOARD_DATABASE", url_at(&primary, forwarder.port))]);
    let db = home.db();
    // Only on the primary: a promoted standby must not wait for a standby of its own.
    sql(&db, "ALTER SYSTEM SET synchronous_standby_names = '*'").await;
    sql(&db, "SELECT pg_reload_conf()").await;
    let follows = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    eventually("the standby follows", async || is_so(&db, follows).await.then_some(())).await;
    let nodes = [Server::start(&home), Server::start(&home)];
    let token = nodes[0].token();
    let calls = Calls::new(&nodes, &token, 0..TOTAL);
    let fail_over = async {
        calls.reached(TOTAL / 3).await;
        let killed = Instant::now();
        primary.kill();
        forwarder.cut();
        let before = calls.acknowledged();
        standby.promote().unwrap();
        let promoted = Instant::now();
        forwarder.point_to(standby.port());
        calls.reached(before + 1).await;
        let first = promoted.elapsed();
        for node in &nodes {
            eventually("a node is ready", async || (get(node, &token, "/readyz").await.0 == 200).then_some(())).await;
        }
        let ready = promoted.elapsed();
        println!(
            "{before} of {TOTAL} calls before the kill; promoted after {:?}; from then, the first call after {first:?}, all \
             nodes ready after {ready:?}",
            promoted.duration_since(killed)
        );
    };
    tokio::join!(calls.record_all(), fail_over);
    calls.check(TOTAL).await;
    println!("{TOTAL} calls acknowledged and found once; {} refusals with 503", calls.refused());
    for node in nodes {
        let (status, log) = node.terminate();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
}
