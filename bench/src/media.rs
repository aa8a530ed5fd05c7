//! Benchmark of received files: how many bytes storing one writes, and how long the event of a text message takes while
//! files arrive in a burst. The network is a listener in this process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use channels::signature;
use domain::{ChannelId, TenantId};
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::{Statement, params};

use crate::child::{self, Child};
use crate::inbound;
use crate::options::Common;
use crate::report::Report;
use crate::served::{APP_SECRET, Database, Prepared, Served, ServerOptions};

/// Bytes of each file: 1 MiB.
const FILE_BYTES: usize = 1 << 20;
/// Files of the part that counts written bytes.
const FILES: usize = 32;
/// Messages with files in the burst.
const BURST: usize = 200;
/// Text messages before the burst, and beside it.
const TEXTS: usize = 100;
/// Pause between two text messages.
const PAUSE: Duration = Duration::from_millis(50);
/// Messages with files that are posted at a time.
const AT_ONCE: usize = 16;
/// The run fails if files or events have not arrived after this time.
const TIMEOUT: Duration = Duration::from_mins(5);
const TENANT: TenantId = TenantId::FIRST;

static STORED: Statement =
    Statement::new("bench.stored_files", "SELECT COUNT(*) FROM messages WHERE tenant_id = $1 AND media_id IS NOT NULL");
/// Bytes that PostgreSQL has written to its write-ahead log, and the size of the database.
static WRITTEN: Statement = Statement::new(
    "bench.written",
    "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT) + pg_database_size(current_database())",
);

/// State of the listener, which is both the network that serves files and the endpoint that receives events.
#[derive(Clone)]
struct World {
    file: Bytes,
    /// Texts of messages in the received events, with the time of receipt.
    received: Arc<Mutex<Vec<(String, Instant)>>>,
}

pub async fn run(common: &Common, database: Database) -> Result<Report> {
    let mut facts = common.facts();
    facts.push(("written for each byte stored in the database", written(database, "database").await?));
    facts.push(("written for each byte stored in a folder", written(database, "folder").await?));
    facts.extend(burst(database).await?);
    Ok(Report { title: format!("Received files on {}", database.name()), facts, rows: Vec::new() })
}

/// Stores files; returns the written bytes for each byte of a file, as text.
async fn written(database: Database, store: &'static str) -> Result<String> {
    let (world, address) = World::start().await?;
    let (prepared, child, channel) = start(database, address, store).await?;
    // The first file does not count: with it, tables and folders are written that are made once.
    post_files(child.address, channel, "first", 1).await?;
    stored(&prepared, 1).await?;
    let before = written_bytes(&prepared, &child, database, store).await?;
    post_files(child.address, channel, "more", FILES).await?;
    stored(&prepared, FILES + 1).await?;
    let spent = written_bytes(&prepared, &child, database, store).await? - before;
    drop(world);
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    let ratio = spent as f64 / (FILES * FILE_BYTES) as f64;
    Ok(format!("{ratio:.2} bytes ({FILES} files of 1 MiB)"))
}

/// Bytes written so far: by the server and, on PostgreSQL, by the database. Where PostgreSQL stores the files, the
/// bytes that the server writes are left out, because it sends them to PostgreSQL.
async fn written_bytes(prepared: &Prepared, child: &Child, database: Database, store: &str) -> Result<i64> {
    let of_server = if database == Database::Postgres && store == "database" { 0 } else { child.written_bytes()? };
    Ok(of_server
        + match database {
            Database::Sqlite => 0,
            Database::Citus => bail!("what the workers of Citus write is not counted"),
            Database::Postgres => prepared.db().row(&WRITTEN, &[], store::read).await?.unwrap_or(0),
        })
}

/// Delay of the events of text messages alone, and beside a burst of files.
async fn burst(database: Database) -> Result<Vec<(&'static str, String)>> {
    let (world, address) = World::start().await?;
    let (prepared, child, channel) = start(database, address, "database").await?;
    let endpoint = json!({"url": format!("http://{address}/events"), "eventTypes": ["message"]}).to_string();
    child::tell(child.address, "/api/ext/v3/webhooks", prepared.token(), &endpoint).await?;
    let alone = world.delays(child.address, channel, "alone").await?;
    let files = tokio::spawn(post_files(child.address, channel, "burst", BURST));
    let began = Instant::now();
    let beside = world.delays(child.address, channel, "beside").await?;
    files.await??;
    stored(&prepared, BURST).await?;
    let took = began.elapsed().as_secs_f64();
    Ok(vec![
        ("event of a text message alone", summary(alone)),
        ("event of a text message beside a burst of 200 files of 1 MiB", summary(beside)),
        ("files of the burst stored after", format!("{took:.1} s")),
        ("peak memory of the server", format!("{:.1} MiB", child.peak_mebibytes()?)),
    ])
}

fn summary(mut delays: Vec<Duration>) -> String {
    delays.sort_unstable();
    let at = |share: usize| delays.get((delays.len() * share / 100).min(delays.len().saturating_sub(1)));
    let millis = |delay: Option<&Duration>| delay.map_or(0.0, |delay| 1e3 * delay.as_secs_f64());
    format!("p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms", millis(at(50)), millis(at(99)), millis(delays.last()))
}

async fn start(database: Database, network: SocketAddr, store: &'static str) -> Result<(Prepared, Child, ChannelId)> {
    let networks = json!({"lab": format!("http://{network}/v23.0")}).to_string();
    let options = ServerOptions { networks: Some(networks), media_store: Some(store.to_owned()) };
    let prepared = Served::prepare_with(database, &options).await?;
    let channel = prepared.add_channel("lab").await?;
    let child = prepared.serve_with(&options)?;
    Ok((prepared, child, channel))
}

async fn post_files(server: SocketAddr, channel: ChannelId, run: &'static str, count: usize) -> Result<()> {
    for first in (0..count).step_by(AT_ONCE) {
        let mut posts = tokio::task::JoinSet::new();
        for n in first..count.min(first + AT_ONCE) {
            let file = json!({
                "from": format!("1415555{:04}", n % 1000), "id": format!("wamid.{run}-{n}"), "timestamp": "1776000000",
                "type": "image", "image": {"id": format!("{run}{n}"), "mime_type": "image/jpeg"},
            });
            posts.spawn(post_message(server, channel, file));
        }
        while let Some(posted) = posts.join_next().await {
            posted??;
        }
    }
    Ok(())
}

async fn post_message(server: SocketAddr, channel: ChannelId, message: Value) -> Result<()> {
    let body = inbound::whole(&message.to_string());
    let signed = signature::sign(APP_SECRET.as_bytes(), body.as_bytes());
    let header = format!("x-hub-signature-256: {signed}\r\nconnection: close\r\n");
    child::tell_with(server, &format!("/hooks/whatsapp/{channel}"), &header, &body).await.map(drop)
}

/// Waits until this many messages have their file.
async fn stored(prepared: &Prepared, files: usize) -> Result<()> {
    let (began, files) = (Instant::now(), i64::try_from(files)?);
    loop {
        let stored: Option<i64> = prepared.db().row(&STORED, params![TENANT], store::read).await?;
        if stored.unwrap_or(0) >= files {
            return Ok(());
        }
        ensure!(began.elapsed() < TIMEOUT, "the files are not stored in time");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

impl World {
    async fn start() -> Result<(Self, SocketAddr)> {
        // A JPEG by its first bytes; the others do not compress.
        let mut file: Vec<u8> = (0..FILE_BYTES as u64 / 8).flat_map(|n| scrambled(n).to_le_bytes()).collect();
        file[..4].copy_from_slice(b"\xff\xd8\xff\xe0");
        let world = Self { file: Bytes::from(file), received: Arc::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/v23.0/{id}", get(describe))
            .route("/files/{id}", get(give))
            .route("/events", post(receive))
            .with_state(world.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((world, address))
    }

    /// Posts text messages at a steady rate; returns the time from each answer to the receipt of its event.
    async fn delays(&self, server: SocketAddr, channel: ChannelId, run: &str) -> Result<Vec<Duration>> {
        let mut posted = Vec::new();
        for n in 0..TEXTS {
            let text = format!("{run} {n}");
            let message = json!({
                "from": format!("1415556{n:04}"), "id": format!("wamid.text-{run}-{n}"), "timestamp": "1776000000",
                "type": "text", "text": {"body": text},
            });
            post_message(server, channel, message).await?;
            posted.push((text, Instant::now()));
            tokio::time::sleep(PAUSE).await;
        }
        let began = Instant::now();
        loop {
            let received = self.received.lock().clone();
            let delay = |(text, at): &(String, Instant)| {
                received.iter().find(|(one, _)| one == text).map(|(_, then)| then.saturating_duration_since(*at))
            };
            let delays: Vec<Duration> = posted.iter().filter_map(delay).collect();
            if delays.len() == posted.len() {
                return Ok(delays);
            }
            ensure!(began.elapsed() < TIMEOUT, "the events do not arrive in time");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn describe(State(world): State<World>, Path(id): Path<String>, headers: HeaderMap) -> Response<Body> {
    let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let info = json!({"id": id, "url": format!("http://{host}/files/{id}"), "mime_type": "image/jpeg", "file_size": world.file.len()});
    Response::new(Body::from(info.to_string()))
}

async fn give(State(world): State<World>) -> Response<Body> {
    Response::new(Body::from(world.file))
}

async fn receive(State(world): State<World>, body: Bytes) {
    let event: Value = serde_json::from_slice(&body).unwrap_or_default();
    if let Some(text) = event["text"].as_str() {
        world.received.lock().push((text.to_owned(), Instant::now()));
    }
}

/// The finishing steps of SplitMix64: numbers in a row give bytes without a pattern, which no database can compress.
fn scrambled(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
