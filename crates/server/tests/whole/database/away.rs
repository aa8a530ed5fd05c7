//! A database that is stopped, blocked or silent: requests get 503 with `Retry-After`, and the node recovers by itself.

use std::time::Duration;

use futures_util::future::join_all;
use store::{Statement, Tx};

use super::calls::Calls;
use super::forwarder::Forwarder;
use super::{get, is_so, private_postgres, sql, started, url_at};
use crate::home::Home;
use crate::{eventually, http};

const CALLS: &str = "/api/ext/v3/calls";
/// Requests at once while the database is away: more than there are connections.
const AT_ONCE: usize = 100;

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_database_refuses_requests_and_comes_back() {
    let mut postgres = private_postgres();
    let home = Home::on_server(&postgres, Vec::new());
    let (server, token) = started(&home);
    let nodes = [server];
    let (server, calls) = (&nodes[0], Calls::new(&nodes, &token, 0..20));
    calls.record_all().await;
    assert_eq!(get(server, &token, "/readyz").await.0, 200);

    postgres.stop();
    for (status, body) in join_all((0..AT_ONCE).map(|_| get(server, &token, CALLS))).await {
        assert_eq!(status, 503, "{body}");
    }
    let (status, body) = get(server, &token, "/readyz").await;
    assert!(status == 503 && body.contains("database"), "{body}");
    let alive = http().get(server.url("/healthz")).send().await.unwrap();
    assert_eq!(alive.status().as_u16(), 200);

    postgres.start_again().unwrap();
    eventually("the node is ready again", async || (get(server, &token, "/readyz").await.0 == 200).then_some(())).await;
    calls.check(20).await;
    // Workers go on too: what is recorded now gets its place in the event log.
    let more = Calls::new(&nodes, &token, 20..40);
    more.record_all().await;
    eventually("all is numbered", async || {
        let (_, events) = get(server, &token, "/api/ext/v3/events?limit=100").await;
        (20..40).all(|number| events.contains(&format!("\"call-{number}\""))).then_some(())
    })
    .await;
    let [server] = nodes;
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("panicked"), "{log}");
}

/// As a full disk or a standby does: reads work, writes fail.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_written_is_not_ready() {
    let postgres = private_postgres();
    let home = Home::on_server(&postgres, Vec::new());
    let (server, token) = started(&home);
    let db = home.db();
    let reconnect = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    for (setting, status) in [("SET default_transaction_read_only = on", 503), ("RESET ALL", 200)] {
        sql(&db, &format!("ALTER DATABASE postgres {setting}")).await;
        sql(&db, reconnect).await;
        // The new connections can read.
        eventually("calls are read", async || (get(&server, &token, CALLS).await.0 == 200).then_some(())).await;
        eventually(setting, async || (get(&server, &token, "/readyz").await.0 == status).then_some(())).await;
    }
    assert!(server.terminate().0.success());
}

/// Locks the table of calls for some seconds.
async fn hold_calls(tx: &mut Tx<'_>) -> store::Result<()> {
    for text in ["LOCK TABLE calls IN ACCESS EXCLUSIVE MODE", "SELECT pg_sleep(6)"] {
        tx.execute(&Statement::composed("test", text.to_owned()), &[]).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_too_long_is_cancelled_and_others_go_on() {
    let postgres = private_postgres();
    let home = Home::on_server(&postgres, vec![("SWITCHBOARD_POSTGRES_STATEMENT_TIMEOUT_SECONDS", "1".to_owned())]);
    let (server, token) = started(&home);
    assert_eq!(get(&server, &token, CALLS).await.0, 200);
    let (db, looker) = (home.db(), home.db());
    let holding = tokio::spawn(async move { db.write((), |tx, ()| Box::pin(hold_calls(tx))).await });
    let locked = "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
        AND relation = 'calls'::regclass";
    eventually("the table is locked", async || is_so(&looker, locked).await.then_some(())).await;
    let (status, body) = get(&server, &token, CALLS).await;
    assert_eq!(status, 503, "{body}");
    assert_eq!(get(&server, &token, "/api/ext/v3/contacts").await.0, 200);
    holding.await.unwrap().unwrap();
    eventually("calls are read again", async || (get(&server, &token, CALLS).await.0 == 200).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_database_does_not_hold_requests_for_ever() {
    let postgres = private_postgres();
    let forwarder = Forwarder::to(postgres.port()).await;
    let settings = vec![
        ("SWITCHBOARD_DATABASE", url_at(&postgres, forwarder.port)),
        ("SWITCHBOARD_POSTGRES_STATEMENT_TIMEOUT_SECONDS", "1".to_owned()),
    ];
    let home = Home::on_server(&postgres, settings);
    let (server, token) = started(&home);
    assert_eq!(get(&server, &token, CALLS).await.0, 200);
    forwarder.silence(true);
    for (status, body) in join_all((0..AT_ONCE).map(|_| get(&server, &token, CALLS))).await {
        assert_eq!(status, 503, "{body}");
    }
    forwarder.silence(false);
    eventually("calls are read again", async || {
        tokio::time::sleep(Duration::from_millis(100)).await;
        (get(&server, &token, CALLS).await.0 == 200).then_some(())
    })
    .await;
}
