//! The accept loop: connections in, requests to a handler, and a stop that lets requests finish. Owns time limits and
//! sizes of connections; knows nothing of what is served, so that a benchmark can use the same loop for its floor.

mod listen;
mod refusal;
mod stream;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::task::JoinSet;

pub use listen::{Listener, Stream};
use stream::{Activity, TimedStream};

/// All headers of a request together; more is refused with 431.
const MAX_HEADER_BYTES: usize = 64 * 1024;
const MAX_STREAMS: u32 = 256;
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub struct Options {
    /// In metrics and logs.
    pub name: &'static str,
    /// A connection must send a whole header within this time from its first byte (the first one: from the start).
    pub header_timeout: Duration,
    /// A connection may be open without a request for this long. Longer than the pools of common proxies keep theirs,
    /// so that it is not us who close while a request is on its way.
    pub idle_timeout: Duration,
    /// Beyond it, connections wait in the system's queue.
    pub max_connections: usize,
    /// How long a stop waits for requests in flight.
    pub drain: Duration,
    /// The JSON body for a request that is not even HTTP, or too large for it; such a one never reaches the handler.
    pub refusal: fn(StatusCode) -> Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "main",
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            max_connections: 10_000,
            drain: Duration::from_secs(8),
            refusal: |_| None,
        }
    }
}

/// How a request ends. A handler that always answers can give its response alone.
#[derive(Debug)]
pub enum Reply {
    Answer(Response<Body>),
    /// The connection breaks off without an answer, as if the machine had died.
    Reset,
}

impl From<Response<Body>> for Reply {
    fn from(response: Response<Body>) -> Self {
        Self::Answer(response)
    }
}

/// What makes the HTTP library give up a connection; nobody outside sees it.
#[derive(Debug, thiserror::Error)]
#[error("the handler wants no answer")]
struct NoAnswer;

/// Serves until `stop` comes, then takes no new connections, lets requests in flight finish within `drain`, and drops
/// what is left.
pub async fn serve<L, H, F>(listener: L, handler: H, options: Options, stop: impl Future<Output = ()>)
where
    L: Listener,
    H: Fn(Request<Incoming>, L::Peer) -> F + Clone + Send + 'static,
    F: Future<Output: Into<Reply>> + Send + 'static,
{
    let drain = options.drain;
    let shared = Arc::new(Server { builder: builder(), options });
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut backoff = Backoff::default();
    tokio::pin!(stop);
    loop {
        let room = connections.len() < shared.options.max_connections;
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept(), if room => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                backoff = Backoff::default();
                connections.spawn(connection(shared.clone(), stream, peer, handler.clone(), graceful.watcher()));
            }
            Err(error) => backoff.wait(&error).await,
        }
    }
    drop(listener);
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(connections = connections.len(), "requests did not finish in time and are dropped");
    }
    connections.shutdown().await;
}

#[derive(Debug)]
struct Server {
    builder: Builder<TokioExecutor>,
    options: Options,
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        // The stream keeps the time itself: it tells an idle connection from one that dawdles.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(MAX_HEADER_BYTES).unwrap_or(u32::MAX))
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_TIMEOUT);
    builder
}

async fn connection<S, P, H, F>(server: Arc<Server>, stream: S, peer: P, handler: H, watcher: Watcher)
where
    S: Stream,
    P: std::fmt::Debug + Clone,
    H: Fn(Request<Incoming>, P) -> F + Send + 'static,
    F: Future<Output: Into<Reply>> + Send + 'static,
{
    let open = metrics::gauge!("switchboard_open_connections", "listener" => server.options.name);
    open.increment(1);
    let activity = Activity::default();
    let io = TokioIo::new(TimedStream::new(stream, activity.clone(), &server.options));
    let caller = peer.clone();
    let service = service_fn(move |request| {
        let busy = activity.begin();
        let reply = handler(request, caller.clone());
        async move {
            match reply.await.into() {
                Reply::Answer(response) => Ok(response),
                Reply::Reset => Err(busy.give_up()),
            }
        }
    });
    if let Err(error) = watcher.watch(server.builder.serve_connection(io, service)).await {
        tracing::debug!(target: "switchboard::http", ?peer, %error, "connection ended");
    }
    open.decrement(1);
}

/// How long to leave `accept` alone after it failed.
#[derive(Debug, Default)]
struct Backoff {
    failures: u32,
}

impl Backoff {
    /// A connection that died in the queue costs nobody else anything. Everything else, such as too many open files,
    /// would come back at once.
    async fn wait(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
        if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
            return;
        }
        if self.failures == 0 {
            tracing::error!(%error, "connections cannot be accepted for the moment");
        }
        self.failures = self.failures.saturating_add(1);
        tokio::time::sleep(Duration::from_millis(50).saturating_mul(self.failures.min(20))).await;
    }
}
