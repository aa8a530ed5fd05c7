//! Floors with a database: the HTTP stack of the floor over a bare driver.
//!
//! - `page`: each request runs the statement of a plain page of calls on one of a few connections and answers with its
//!   documents. No credential, no pool, no paging.
//! - `commit`: each request inserts one row and is answered after its commit; rows of concurrent requests share one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use axum::routing::get;
use domain::TenantId;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, NoTls, Statement};

use super::serve_router;
use crate::child::{self, Child, Measured};
use crate::load::{Case, Plan, get_request};
use crate::served::{Location, Served};

/// Connections of the bare driver, as many as the server uses.
const CONNECTIONS: usize = 16;
const PAGE: i64 = 20;
/// Most rows of one commit.
const MOST_TOGETHER: usize = 256;
/// Bytes of a row; a hit of a tracked link has about as many.
const ROW: [u8; 120] = [b'x'; 120];
const LAST: &str = "SELECT COALESCE(MAX(number), 0) FROM bench_floor";
const TABLE: &str = "CREATE TABLE IF NOT EXISTS bench_floor (number bigint PRIMARY KEY, body ";

/// Which floor a child process serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    Page,
    Commit,
}

/// Measures a floor on the database of a server.
pub async fn measure(kind: Kind, served: &Served, plan: Plan) -> Result<Measured> {
    let location = served.location();
    let name = match kind {
        Kind::Page => "page",
        Kind::Commit => "commit",
    };
    let mut arguments = vec!["internal-database-floor", "--kind", name, "--data", &location.data];
    arguments.extend(location.url.as_deref().map(|url| ["--database", url]).into_iter().flatten());
    let child = Child::start(&arguments)?;
    child.measure(&Case::fixed(format!("floor of a {name}"), get_request("/", ""), 200), plan).await
}

/// The child process: serves until the parent is gone.
pub async fn serve_as_child(kind: Kind, location: Location) -> Result<()> {
    let router = match (kind, location.url) {
        (Kind::Page, url) => page_router(&url.context("this floor needs PostgreSQL")?).await?,
        (Kind::Commit, Some(url)) => commit_router(postgres_writer(&url).await?),
        (Kind::Commit, None) => commit_router(sqlite_writer(&Path::new(&location.data).join("floor.db"))?),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.context("listening")?;
    child::announce(listener.local_addr()?, None)?;
    serve_router(listener, router, child::parent_is_gone()).await;
    Ok(())
}

async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.context("connecting to PostgreSQL")?;
    tokio::spawn(connection);
    Ok(client)
}

async fn page_router(url: &str) -> Result<Router> {
    let text = store::calls::lists().first().context("there is no statement of a page")?.for_postgres().to_owned();
    let mut clients = Vec::with_capacity(CONNECTIONS);
    for _ in 0..CONNECTIONS {
        let client = connect(url).await?;
        let page = client.prepare(&text).await?;
        clients.push((client, page));
    }
    let (clients, next) = (Arc::new(clients), Arc::new(AtomicUsize::new(0)));
    let answer = move || {
        let (clients, next) = (Arc::clone(&clients), Arc::clone(&next));
        async move {
            let index = next.fetch_add(1, Ordering::Relaxed) % clients.len();
            let Some((client, page)) = clients.get(index) else { return StatusCode::NOT_FOUND.into_response() };
            match documents(client, page).await {
                Ok(body) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
                Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
            }
        }
    };
    Ok(Router::new().route("/", get(answer)))
}

/// The documents of the newest calls, as a list.
async fn documents(client: &Client, page: &Statement) -> Result<String, tokio_postgres::Error> {
    let none: &[u8] = &[];
    let rows = client.query(page, &[&TenantId::FIRST.number(), &i64::MAX, &none, &(PAGE + 1), &0_i64]).await?;
    let mut body = String::with_capacity(16 << 10);
    body.push('[');
    for row in rows.iter().take(usize::try_from(PAGE).unwrap_or_default()) {
        if body.len() > 1 {
            body.push(',');
        }
        body.push_str(row.try_get(0)?);
    }
    body.push(']');
    Ok(body)
}

/// A request that waits for the commit of its row.
type Waiting = oneshot::Sender<()>;

fn commit_router(writer: mpsc::Sender<Waiting>) -> Router {
    let answer = move || {
        let writer = writer.clone();
        async move {
            let (reply, committed) = oneshot::channel();
            let is_sent = writer.send(reply).await.is_ok();
            if is_sent && committed.await.is_ok() { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR }
        }
    };
    Router::new().route("/", get(answer))
}

async fn postgres_writer(url: &str) -> Result<mpsc::Sender<Waiting>> {
    let client = connect(url).await?;
    client.batch_execute(&format!("{TABLE} bytea NOT NULL)")).await?;
    let insert =
        client.prepare("INSERT INTO bench_floor (number, body) SELECT unnest($1::bigint[]), $2::bytea").await?;
    let mut last: i64 = client.query_one(LAST, &[]).await?.try_get(0)?;
    let (sender, mut inbox) = mpsc::channel(1024);
    tokio::spawn(async move {
        let mut waiting = Vec::new();
        while inbox.recv_many(&mut waiting, MOST_TOGETHER).await > 0 {
            let numbers = numbers(&mut last, waiting.len());
            // A failure drops the requests, which are then answered with an error.
            if client.execute(&insert, &[&numbers, &ROW.as_slice()]).await.is_err() {
                break;
            }
            waiting.drain(..).for_each(answer);
        }
    });
    Ok(sender)
}

/// The same durability as the server's: write-ahead log and an fsync for each commit.
fn sqlite_writer(file: &PathBuf) -> Result<mpsc::Sender<Waiting>> {
    let connection = rusqlite::Connection::open(file)?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(&format!("{TABLE} blob NOT NULL)"))?;
    let mut last: i64 = connection.query_row(LAST, [], |row| row.get(0))?;
    let (sender, mut inbox) = mpsc::channel(1024);
    std::thread::spawn(move || -> rusqlite::Result<()> {
        let mut waiting = Vec::new();
        while inbox.blocking_recv_many(&mut waiting, MOST_TOGETHER) > 0 {
            connection.execute_batch("BEGIN")?;
            for number in numbers(&mut last, waiting.len()) {
                let mut insert = connection.prepare_cached("INSERT INTO bench_floor (number, body) VALUES (?1, ?2)")?;
                insert.execute((number, ROW.as_slice()))?;
            }
            connection.execute_batch("COMMIT")?;
            waiting.drain(..).for_each(answer);
        }
        Ok(())
    });
    Ok(sender)
}

fn numbers(last: &mut i64, count: usize) -> Vec<i64> {
    let first = *last + 1;
    *last += i64::try_from(count).unwrap_or_default();
    (first..=*last).collect()
}

/// The client may be gone.
fn answer(waiting: Waiting) {
    let _ = waiting.send(());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rows_are_numbered_and_answered_after_their_commit() {
        let file = std::env::temp_dir().join(format!("switchboard-floor-{}.db", std::process::id()));
        let writer = sqlite_writer(&file).unwrap();
        for _ in 0..3 {
            let (reply, committed) = oneshot::channel();
            writer.send(reply).await.unwrap();
            committed.await.unwrap();
        }
        let reader = rusqlite::Connection::open(&file).unwrap();
        let stored: (i64, i64) = reader
            .query_row("SELECT COUNT(*), MAX(number) FROM bench_floor", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(stored, (3, 3));
        drop((writer, reader));
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
        }
    }
}
