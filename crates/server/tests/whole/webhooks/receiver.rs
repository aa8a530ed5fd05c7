//! A receiver on the loopback that keeps all posts and answers as a test wants.

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

/// Pause before a connection is closed without an answer, and between parts of an endless body.
const PAUSE: Duration = Duration::from_millis(30);

pub enum Reply {
    Answer(Response<Body>),
    /// The connection ends without an answer.
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

/// A request that the receiver got.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
    pub at: Instant,
    /// The answer was a success.
    pub is_accepted: bool,
}

impl Received {
    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    pub fn event(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The call id in the event.
    pub fn call(&self) -> String {
        self.event()["call_id"].as_str().unwrap().to_owned()
    }
}

/// The answer to a request, given how often its event was posted before.
type Answer = Box<dyn Fn(&Received, usize) -> Reply + Send + Sync>;

pub struct Receiver {
    address: SocketAddr,
    posts: Arc<Posts>,
    accepting: JoinHandle<()>,
}

struct Posts {
    answer_with: Answer,
    all: Mutex<Vec<Received>>,
    /// How often each event was posted to each path, and whether it was accepted.
    known: Mutex<HashMap<(String, String), (usize, bool)>>,
    accepted: watch::Sender<usize>,
}

impl Receiver {
    pub async fn start(answer_with: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let posts = Arc::new(Posts {
            answer_with: Box::new(answer_with),
            all: Mutex::default(),
            known: Mutex::default(),
            accepted: watch::Sender::new(0),
        });
        let address = listener.local_addr().unwrap();
        Self { address, posts: posts.clone(), accepting: tokio::spawn(accept(listener, posts)) }
    }

    /// A receiver that accepts everything.
    pub async fn accepting() -> Self {
        Self::start(|_, _| Reply::status(StatusCode::OK)).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Everything so far, in the order of arrival.
    pub fn all(&self) -> Vec<Received> {
        self.posts.all.lock().unwrap().clone()
    }

    pub fn at(&self, path: &str) -> Vec<Received> {
        self.all().into_iter().filter(|one| one.path == path).collect()
    }

    /// The number of accepted events, each counted once for each path.
    pub fn accepted(&self) -> &watch::Sender<usize> {
        &self.posts.accepted
    }

    pub async fn has_accepted(&self, count: usize) {
        reached("events are delivered", self.accepted(), count).await;
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, posts: Arc<Posts>) {
    while let Ok((stream, _)) = listener.accept().await {
        let posts = posts.clone();
        let service = service_fn(move |request| {
            let posts = posts.clone();
            async move { posts.answer(request).await }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

impl Posts {
    /// Keeps the request and answers it; an error ends the connection.
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
            is_accepted: false,
        };
        match self.record(received) {
            Reply::Answer(answer) => Ok(answer),
            Reply::Vanish => {
                tokio::time::sleep(PAUSE).await;
                Err(io::ErrorKind::ConnectionAborted.into())
            }
        }
    }

    fn record(&self, mut received: Received) -> Reply {
        let key = (received.path.clone(), received.id().to_owned());
        let mut known = self.known.lock().unwrap();
        let (times, is_accepted) = known.entry(key).or_default();
        let reply = (self.answer_with)(&received, *times);
        received.is_accepted = reply.is_success();
        let is_new = received.is_accepted && !*is_accepted;
        *times += 1;
        *is_accepted |= received.is_accepted;
        drop(known);
        self.all.lock().unwrap().push(received);
        if is_new {
            self.accepted.send_modify(|count| *count += 1);
        }
        reply
    }
}

/// A body without an end.
pub fn endless() -> Body {
    let piece = || async { Some((Ok::<_, io::Error>(Bytes::from_static(b"and so on, ")), ())) };
    Body::from_stream(futures_util::stream::unfold((), move |()| {
        let piece = piece();
        async move {
            tokio::time::sleep(PAUSE).await;
            piece.await
        }
    }))
}
