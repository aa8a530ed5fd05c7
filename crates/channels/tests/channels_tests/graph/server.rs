//! A server on loopback with scripted answers, which records requests.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use channels::graph::{Breaker, Graph, NumberCredentials, Secret};
use channels::transport::{HttpTransport, Timeouts, Transport};
use domain::Clock;
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;

pub const TOKEN: &str = "EAAG-a-very-secret-token";

#[derive(Debug, Clone)]
pub struct Asked {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Asked {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub enum Reply {
    Answer(Response<Full<Bytes>>),
    /// Reads the whole request, then closes the connection.
    Close,
    /// Reads the whole request and never answers.
    Silence,
}

impl Reply {
    pub fn json(status: u16, body: &str) -> Self {
        let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
        Self::Answer(Response::builder().status(status).body(body).unwrap())
    }
}

type Behaviour = dyn Fn(&Asked) -> Reply + Send + Sync;

pub struct Server {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub async fn start(behaviour: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let behaviour: Arc<Behaviour> = Arc::new(behaviour);
        let (counter, log) = (Arc::clone(&connections), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counter.fetch_add(1, Ordering::SeqCst);
                let (behaviour, log) = (Arc::clone(&behaviour), Arc::clone(&log));
                let service = service_fn(move |request| answer(request, Arc::clone(&behaviour), Arc::clone(&log)));
                tokio::spawn(async move {
                    // The result is ignored: tests close connections early.
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Self { address, connections, asked, task }
    }

    /// A server with one answer for all requests.
    pub async fn saying(status: u16, body: &'static str) -> Self {
        Self::start(move |_| Reply::json(status, body)).await
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v23.0", self.address)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn graph(&self) -> Graph {
        graph(&self.base_url(), Timeouts::default())
    }
}

async fn answer(
    request: Request<Incoming>,
    behaviour: Arc<Behaviour>,
    log: Arc<Mutex<Vec<Asked>>>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let asked = Asked { method: parts.method, uri: parts.uri, headers: parts.headers, body };
    let reply = behaviour(&asked);
    log.lock().unwrap().push(asked);
    match reply {
        Reply::Answer(response) => Ok(response),
        Reply::Close => Err(std::io::Error::other("closed")),
        Reply::Silence => match std::future::pending::<Infallible>().await {},
    }
}

pub fn graph(base_url: &str, timeouts: Timeouts) -> Graph {
    with_breaker(base_url, timeouts, Breaker::new(Clock::system()))
}

pub fn with_breaker(base_url: &str, timeouts: Timeouts, breaker: Breaker) -> Graph {
    Graph::new(Arc::new(HttpTransport::new(timeouts).unwrap()), base_url, credentials(TOKEN), Arc::new(breaker))
}

pub fn over(transport: Arc<dyn Transport>, base_url: &str) -> Graph {
    let breaker = Breaker::new(Clock::system());
    Graph::new(transport, base_url, credentials(TOKEN), Arc::new(breaker))
}

pub fn credentials(token: &str) -> NumberCredentials {
    NumberCredentials {
        phone_number_id: "106540352242922".to_owned(),
        account_id: "102290129340398".to_owned(),
        access_token: Secret::new(token),
    }
}
