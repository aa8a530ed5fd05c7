//! The accept loop of all listeners: accepts connections, passes requests to a handler, and stops gracefully.
//!
//! Limits: size of headers, time for the first request and for a header, idle time (pings of HTTP/2 do not count), time
//! in which a reader must take a part of its answer (`reader.rs`), number of HTTP/2 streams, number of connections of
//! an address and of all. A peer that exceeds a limit is refused, is closed or waits, and disturbs no request of
//! another connection; a new connection may replace an idle one (`admission.rs`). On a stop the loop accepts no new
//! connections, lets requests in flight finish within `drain`, and drops those that have not.
//!
//! The loop does not depend on what is served: API, metrics, health, sandbox and control socket use it, and `bench`
//! measures it as its floor. Time limits are in `stream.rs`, bodies for malformed requests in `refusal.rs`, TLS in
//! `tls.rs`.

mod activity;
mod admission;
mod listen;
mod options;
mod reader;
mod reader_watch;
mod refusal;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

use std::fmt::Debug;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONNECTION;
use axum::http::{Extensions, HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};

use activity::Activity;
use admission::Connections;
pub use listen::{Listener, Stream};
pub use options::Options;
use reader::{StreamExecutor, WatchedBody};
use stream::TimedStream;
pub use tls::{ACME_TLS, TlsListener, TlsSocket};

/// Maximum bytes of all headers of a request; more is refused with 431.
const MAX_HEADER_BYTES: usize = 64 * 1024;
const MAX_STREAMS: u32 = 100;
/// Most bytes of an answer that hyper buffers for one HTTP/2 stream.
const SEND_BUFFER: usize = 64 << 10;
/// Maximum bytes that were received and that the handler has not read: of one HTTP/2 stream, and in `CONNECTION_WINDOW`
/// of all streams of a connection.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 1 << 20;
/// While a connection waits for room, how often the loop looks for one that became idle.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Result of a handler. A handler that always answers can return the response itself.
#[derive(Debug)]
pub enum Reply {
    Answer(Response<Body>),
    /// The connection is reset without an answer.
    Reset,
}

impl From<Response<Body>> for Reply {
    fn from(response: Response<Body>) -> Self {
        Self::Answer(response)
    }
}

/// Serves until `stop` completes; then accepts no new connections, lets requests in flight finish within `drain` and
/// drops those that have not.
pub async fn serve<L, H, F>(listener: L, handler: H, options: Options, stop: impl Future<Output = ()>)
where
    L: Listener,
    H: Fn(Request<Incoming>, L::Peer) -> F + Clone + Send + 'static,
    F: Future<Output: Into<Reply>> + Send + 'static,
{
    let drain = options.drain;
    let shared = Arc::new(Server { builder: builder(options.reader_timeout), options });
    let graceful = GracefulShutdown::new();
    let mut connections = Connections::default();
    let mut backoff = Backoff::default();
    // A connection that is accepted and not yet served, because it waits for room.
    let mut waiting: Option<(L::Stream, L::Peer)> = None;
    tokio::pin!(stop);
    loop {
        if let Some((stream, peer)) = waiting.take_if(|_| connections.make_room(shared.options.max_connections)) {
            let address = L::address(&peer);
            if !shared.admits(&mut connections, address) {
                stream.reset_on_close();
                continue;
            }
            let activity = Activity::default();
            let watcher = graceful.watcher();
            let (name, handle) = (Box::new(peer.clone()), handle(&handler, peer));
            let serving = connection(shared.clone(), Box::new(stream), name, handle, watcher, activity.clone());
            connections.spawn(address, activity, serving);
        }
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            Some(()) = connections.join_next() => continue,
            accepted = listener.accept(), if waiting.is_none() => accepted,
            () = tokio::time::sleep(LOOK_AGAIN), if waiting.is_some() => continue,
        };
        match accepted {
            Ok(connected) => {
                backoff = Backoff::default();
                waiting = Some(connected);
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
    builder: Builder<StreamExecutor>,
    options: Options,
}

impl Server {
    fn admits(&self, connections: &mut Connections, address: Option<IpAddr>) -> bool {
        let Some(address) = address.filter(|address| !self.options.proxies.contains(*address)) else { return true };
        let admitted = connections.make_room_for(address, self.options.max_connections_per_address);
        if !admitted {
            metrics::counter!("switchboard_refused_connections_total", "listener" => self.options.name).increment(1);
        }
        admitted
    }
}

fn builder(reader_timeout: Duration) -> Builder<StreamExecutor> {
    let mut builder = Builder::new(StreamExecutor { reader_timeout });
    builder
        .http1()
        .timer(TokioTimer::new())
        // `TimedStream` limits this time instead: it distinguishes an idle connection from a slow header.
        .header_read_timeout(None)
        .max_buf_size(MAX_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(MAX_HEADER_BYTES).unwrap_or(u32::MAX))
        .max_concurrent_streams(MAX_STREAMS)
        .max_send_buf_size(SEND_BUFFER)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_TIMEOUT);
    builder
}

/// Serves the requests of one connection.
type Handle = Box<dyn Fn(Request<Incoming>) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send>;

fn handle<P, H, F>(handler: &H, peer: P) -> Handle
where
    P: Clone + Send + 'static,
    H: Fn(Request<Incoming>, P) -> F + Clone + Send + 'static,
    F: Future<Output: Into<Reply>> + Send + 'static,
{
    let handler = handler.clone();
    Box::new(move |request| {
        let reply = handler(request, peer.clone());
        Box::pin(async move { reply.await.into() })
    })
}

/// Not generic: hyper's connection is compiled once, and not for each kind of stream and handler.
async fn connection(
    server: Arc<Server>,
    stream: Box<dyn Stream>,
    peer: Box<dyn Debug + Send>,
    handle: Handle,
    watcher: Watcher,
    activity: Activity,
) {
    let _open = OpenGauge::new(server.options.name);
    let io = TokioIo::new(TimedStream::new(stream, activity.clone(), &server.options));
    let mut shared = Extensions::new();
    (server.options.share)(&mut shared);
    let closing = server.options.closing.clone();
    let service = service_fn(move |mut request| {
        let (running, activity) = (activity.begin(), activity.clone());
        let (closing, is_http1) = (closing.clone(), request.version() < Version::HTTP_2);
        if !shared.is_empty() {
            request.extensions_mut().extend(shared.clone());
        }
        let reply = handle(request);
        async move {
            match reply.await {
                Reply::Answer(mut response) => {
                    if is_http1 && closing.is_cancelled() {
                        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                    }
                    Ok(response.map(|body| WatchedBody::new(body, running, &activity)))
                }
                Reply::Reset => Err(running.give_up()),
            }
        }
    });
    if let Err(error) = watcher.watch(server.builder.serve_connection(io, service)).await {
        tracing::debug!(target: "switchboard::http", ?peer, %error, "connection ended");
    }
}

/// Counts an open connection in the metrics until it is dropped, also when the connection's task is aborted.
#[derive(Debug)]
struct OpenGauge(metrics::Gauge);

impl OpenGauge {
    fn new(listener: &'static str) -> Self {
        let open = metrics::gauge!("switchboard_open_connections", "listener" => listener);
        open.increment(1);
        Self(open)
    }
}

impl Drop for OpenGauge {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// Pause after failures of `accept`.
#[derive(Debug, Default)]
struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Waits before the next `accept`, longer with each failure, up to a second. Does not wait after a connection that
    /// died in the queue; other errors, such as too many open files, would repeat at once without a pause.
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
