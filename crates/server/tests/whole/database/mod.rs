//! A PostgreSQL that goes away, is slow or silent, sits behind a pooler or fails over, with the real binary. Each test
//! has a server of its own, because it stops it.

mod away;
mod calls;
mod citus_idle;
mod citus_worker;
mod failover;
mod forwarder;
mod patroni;
mod pooler;
mod refused;
mod rolling;
mod tls;

use store::{Db, Statement};
use testkit::postgres::{Options, Postgres};

use crate::home::Home;
use crate::http;
use crate::server::Server;

fn private_postgres() -> Postgres {
    Postgres::start(Options::for_tests()).unwrap()
}

/// The URL of the server over another port.
fn url_at(server: &Postgres, port: u16) -> String {
    format!("postgres://postgres:{}@127.0.0.1:{port}/postgres", server.password())
}

async fn sql(db: &Db, text: &str) {
    db.each(&Statement::composed("test", text.to_owned()), &[], |_| Ok(())).await.unwrap();
}

/// Whether a query has a row.
async fn is_so(db: &Db, query: &str) -> bool {
    db.row(&Statement::composed("test", query.to_owned()), &[], |_| Ok(())).await.unwrap().is_some()
}

/// Status and body of an answer that must be a success or say that the database is the reason, and when to try again.
async fn get(server: &Server, token: &str, path: &str) -> (u16, String) {
    let answer = http().get(server.url(path)).bearer_auth(token).send().await.unwrap();
    let (status, retry) = (answer.status().as_u16(), answer.headers().get("retry-after").cloned());
    let body = answer.text().await.unwrap();
    if status != 200 {
        assert_eq!((status, retry.is_some()), (503, true), "{path}: {body}");
        let reason = serde_json::from_str::<serde_json::Value>(&body).unwrap()["reason"].clone();
        assert!(reason == "unavailable" || reason == "overloaded", "{path}: {body}");
    }
    (status, body)
}

/// Starts a server in this home; returns it with the token of its first start.
fn started(home: &Home) -> (Server, String) {
    let server = Server::start(home);
    let token = server.token();
    (server, token)
}
