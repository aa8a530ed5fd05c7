//! The receiver: a process that webhooks are delivered to. It answers at once and records each delivery; some of its
//! paths are slow or never answer. It does not check signatures, to cost as little as possible.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, Response, StatusCode};
use domain::DeliveryId;
use hyper::body::Incoming;
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpSocket};

use super::receipts::{Receipt, Receipts, call_in};
use super::time::{LOOK_EVERY, TIMEOUT, now};
use crate::child::{self, Child};

const SLOW: Duration = Duration::from_secs(2);
const MOST_BYTES: usize = 64 << 10;
const TALLY: &str = "/tally";
const RECEIPTS: &str = "/receipts";

/// How an endpoint behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Good,
    /// Answers after two seconds.
    Slow,
    /// Reads requests and never answers.
    Hangs,
    /// Refuses connections.
    Refuses,
}

/// The benchmark's handle to the receiver's process.
#[derive(Debug)]
pub struct Receiver {
    child: Child,
    /// Bound and not listening: connections are refused, and no other process gets the port.
    deaf: TcpSocket,
}

/// Number and bytes of the recorded deliveries so far.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub count: u64,
    pub bytes: u64,
}

impl Receiver {
    pub fn start() -> Result<Self> {
        let deaf = TcpSocket::new_v4()?;
        deaf.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(Self { child: Child::start(&["internal-receiver"])?, deaf })
    }

    /// URL of an endpoint, different for each `index`.
    pub fn url(&self, manner: Manner, index: u64) -> Result<String> {
        let (address, path) = match manner {
            Manner::Good => (self.child.address, "good"),
            Manner::Slow => (self.child.address, "slow"),
            Manner::Hangs => (self.child.address, "hangs"),
            Manner::Refuses => (self.deaf.local_addr()?, "refuses"),
        };
        Ok(format!("http://{address}/{path}/{index}"))
    }

    pub fn processor_time(&self) -> Result<Duration> {
        self.child.processor_time()
    }

    pub async fn tally(&self) -> Result<Tally> {
        let text = String::from_utf8(child::ask(self.child.address, TALLY, "").await?)?;
        let (count, bytes) = text.split_once(' ').context("the receiver does not count")?;
        Ok(Tally { count: count.parse()?, bytes: bytes.parse()? })
    }

    /// Waits for `expected` distinct deliveries; returns all receipts.
    pub async fn receive(&self, expected: u64) -> Result<Receipts> {
        let mut least = expected;
        loop {
            self.reach(least).await?;
            let receipts = Receipts::read(&child::ask(self.child.address, RECEIPTS, "").await?)?;
            let different = receipts.different();
            if different >= expected {
                return Ok(receipts);
            }
            least = receipts.count() + (expected - different);
        }
    }

    async fn reach(&self, count: u64) -> Result<()> {
        let (mut seen, mut moved) = (0, Instant::now());
        loop {
            let now = self.tally().await?.count;
            if now >= count {
                return Ok(());
            }
            if now > seen {
                (seen, moved) = (now, Instant::now());
            }
            ensure!(moved.elapsed() < TIMEOUT, "{seen} of {count} deliveries have arrived, and no more arrive");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

#[derive(Debug, Default)]
struct Notes {
    receipts: Vec<Receipt>,
    bytes: u64,
}

/// The child process: serves until the parent ends, then stops without finishing open requests.
pub async fn receive_as_child() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await.context("listening")?;
    child::announce(listener.local_addr()?, None)?;
    let notes = Arc::<Mutex<Notes>>::default();
    let handle = move |request: Request<Incoming>, _: SocketAddr| answer(Arc::clone(&notes), request);
    let serve = server::http::serve(listener, handle, server::http::Options::default(), std::future::pending());
    tokio::select! {
        () = serve => {}
        () = child::parent_is_gone() => {}
    }
    Ok(())
}

async fn answer(notes: Arc<Mutex<Notes>>, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(Body::new(body), MOST_BYTES).await else { return status(StatusCode::BAD_REQUEST) };
    let path = head.uri.path();
    match path.trim_start_matches('/').split_once('/') {
        Some(("good", endpoint)) => status(note(&notes, endpoint, &head.headers, &body)),
        Some(("slow", _)) => {
            tokio::time::sleep(SLOW).await;
            status(StatusCode::OK)
        }
        Some(("hangs", _)) => std::future::pending().await,
        None if path == TALLY => Response::new(Body::from(tally(&notes))),
        None if path == RECEIPTS => Response::new(Body::from(all(&notes))),
        _ => status(StatusCode::NOT_FOUND),
    }
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn note(notes: &Mutex<Notes>, endpoint: &str, headers: &HeaderMap, body: &Bytes) -> StatusCode {
    let at = now();
    let id: Option<DeliveryId> = headers.get("webhook-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let (Some(id), Some(call), Ok(endpoint)) = (id, call_in(body), endpoint.parse()) else {
        return StatusCode::BAD_REQUEST;
    };
    let mut notes = notes.lock();
    notes.receipts.push(Receipt { endpoint, call, at, id });
    notes.bytes += body.len() as u64;
    StatusCode::OK
}

fn tally(notes: &Mutex<Notes>) -> String {
    let notes = notes.lock();
    format!("{} {}", notes.receipts.len(), notes.bytes)
}

fn all(notes: &Mutex<Notes>) -> String {
    let notes = notes.lock();
    let mut text = String::with_capacity(notes.receipts.len() * 64);
    for receipt in &notes.receipts {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{receipt}");
    }
    text
}
