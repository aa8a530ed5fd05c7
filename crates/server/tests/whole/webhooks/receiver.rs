//! A receiver on loopback that records events and answers as a test wants.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::reached;

/// How long a hanging request stays open.
const HOPE: Duration = Duration::from_millis(30);

pub enum Reply {
    Answer(Response<Body>),
    /// Closes the connection without an answer.
    Vanish,
}

impl Reply {
    pub fn status(status: StatusCode) -> Self {
        Self::with(status, Body::empty())
    }

    pub fn with(status: StatusCode, body: Body) -> Self {
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        Self::Answer(answer)
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Answer(answer) = &mut self {
            answer.headers_mut().insert(name, value.parse().unwrap());
        }
        self
    }

    fn is_success(&self) -> bool {
        matches!(self, Self::Answer(answer) if answer.status().is_success())
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
    pub at: Instant,
    /// Answered with a success.
    pub is_taken: bool,
}

impl Received {
    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    pub fn event(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The call of the event.
    pub fn call(&self) -> String {
        self.event()["call_id"].as_str().unwrap().to_owned()
    }
}

/// The answer to a request, given how often it came before.
type Manner = Box<dyn Fn(&Received, usize) -> Reply + Send + Sync>;

pub struct Receiver {
    address: SocketAddr,
    heard: Arc<Heard>,
    accepting: JoinHandle<()>,
}

struct Heard {
    manner: Manner,
    all: Mutex<Vec<Received>>,
    /// For each path and event: number of requests, and whether one was accepted.
    known: Mutex<HashMap<(String, String), (usize, bool)>>,
    taken: watch::Sender<usize>,
}

impl Receiver {
    pub async fn start(manner: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let heard = Arc::new(Heard {
            manner: Box::new(manner),
            all: Mutex::default(),
            known: Mutex::default(),
            taken: watch::Sender::new(0),
        });
        let address = listener.local_addr().unwrap();
        Self { address, heard: heard.clone(), accepting: tokio::spawn(accept(listener, heard)) }
    }

    /// A receiver that accepts everything.
    pub async fn willing() -> Self {
        Self::start(|_, _| Reply::status(StatusCode::OK)).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// All requests so far, in order of arrival.
    pub fn all(&self) -> Vec<Received> {
        self.heard.all.lock().unwrap().clone()
    }

    pub fn at(&self, path: &str) -> Vec<Received> {
        self.all().into_iter().filter(|one| one.path == path).collect()
    }

    /// Number of accepted events, each counted once per path.
    pub fn taken(&self) -> &watch::Sender<usize> {
        &self.heard.taken
    }

    pub async fn has_taken(&self, count: usize) {
        reached("events are delivered", self.taken(), count).await;
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, heard: Arc<Heard>) {
    while let Ok((stream, _)) = listener.accept().await {
        let heard = heard.clone();
        let service = service_fn(move |request| {
            let heard = heard.clone();
            async move { heard.answer(request).await }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

impl Heard {
    /// An error closes the connection.
    async fn answer(&self, request: Request<Incoming>) -> io::Result<Response<Body>> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let text = |value: &[u8]| String::from_utf8(value.to_vec()).unwrap();
        let headers = parts.headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes())));
        let received = Received {
            path: parts.uri.path().to_owned(),
            headers: headers.collect(),
            body: text(&body),
            at: Instant::now(),
            is_taken: false,
        };
        match self.heard(received) {
            Reply::Answer(answer) => Ok(answer),
            Reply::Vanish => {
                tokio::time::sleep(HOPE).await;
                Err(io::ErrorKind::ConnectionAborted.into())
            }
        }
    }

    fn heard(&self, mut received: Received) -> Reply {
        let key = (received.path.clone(), received.id().to_owned());
        let mut known = self.known.lock().unwrap();
        let (times, is_taken) = known.entry(key).or_default();
        let reply = (self.manner)(&received, *times);
        received.is_taken = reply.is_success();
        let is_news = received.is_taken && !*is_taken;
        *times += 1;
        *is_taken |= received.is_taken;
        drop(known);
        self.all.lock().unwrap().push(received);
        if is_news {
            self.taken.send_modify(|taken| *taken += 1);
        }
        reply
    }
}

/// An endless body.
pub fn endless() -> Body {
    let piece = || async { Some((Ok::<_, io::Error>(Bytes::from_static(b"and so on, ")), ())) };
    Body::from_stream(futures_util::stream::unfold((), move |()| {
        let piece = piece();
        async move {
            tokio::time::sleep(HOPE).await;
            piece.await
        }
    }))
}
