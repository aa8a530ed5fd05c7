//! Carries HTTP requests: `Transport` is the interface, `HttpTransport` the real client; tests call the other side
//! inside the process.
//!
//! Invariant: an error says whether the request can have reached the other side. `NotConnected` and `Forbidden` mean
//! that it did not; `AnswerLost` means that it may have. The sender relies on this to send each message at most once
//! (`graph/errors.rs` turns it into a `Class`). No transport repeats a request, follows a redirect or uses a proxy.

use std::error::Error as _;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body::{Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Empty, Full};
use parking_lot::Mutex;
use reqwest::redirect;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::guard::Refused;
use crate::resolver::{NameResolver, NotResolved};

/// The header `user-agent` of every request.
pub const USER_AGENT: &str = concat!("switchboard/", env!("CARGO_PKG_VERSION"));

/// Time after which an unused connection is closed. It may stay open for twice as long, because the client looks for
/// such connections at this interval.
pub(crate) const IDLE_TIME: Duration = Duration::from_secs(55);

pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Body of a request or an answer.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;

pub fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

pub fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    #[error("the body has more than {0} bytes")]
    TooLarge(usize),
    #[error("the body broke off: {0}")]
    Broken(BoxError),
}

/// Reads the whole body, up to `limit` bytes.
#[boxed::futures]
pub async fn collect(mut body: Body, limit: usize) -> Result<Bytes, CollectError> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(chunk) = frame.map_err(CollectError::Broken)?.into_data() else { continue };
        if chunk.len() > limit - whole.len() {
            return Err(CollectError::TooLarge(limit));
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// Reads up to `most` bytes: stops at the body's end, on an error, or after `within`. Returns the first `kept` bytes.
/// The rest is read only so that the connection can be used again.
#[boxed::futures]
pub async fn collect_prefix(mut body: Body, kept: usize, most: usize, within: Duration) -> Bytes {
    let deadline = tokio::time::Instant::now() + within;
    let (mut begun, mut read) = (BytesMut::new(), 0);
    while read < most
        && let Ok(Some(Ok(frame))) = tokio::time::timeout_at(deadline, body.frame()).await
    {
        if let Ok(chunk) = frame.into_data() {
            read += chunk.len();
            begun.extend_from_slice(&chunk[..chunk.len().min(kept - begun.len())]);
        }
    }
    begun.freeze()
}

/// The body, with a value that is dropped when the body has ended, has failed or is dropped.
pub(crate) fn holding(body: Body, held: impl Send + Unpin + 'static) -> Body {
    Holding { body, held: Some(held) }.boxed_unsync()
}

struct Holding<T> {
    body: Body,
    held: Option<T>,
}

impl<T: Unpin> http_body::Body for Holding<T> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = self.get_mut();
        let frame = Pin::new(&mut this.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            this.held = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// No connection: unknown host, connection refused, failed handshake. The request was not sent.
    #[error("no connection: {0}")]
    NotConnected(BoxError),
    /// Refused before sending, by the address guard or because the request cannot be built.
    #[error("not allowed: {0}")]
    Forbidden(String),
    /// The request was sent at least in part and no answer came. The other side may have taken it.
    #[error("no answer: {0}")]
    AnswerLost(BoxError),
}

impl TransportError {
    /// There was no connection for the request.
    pub(crate) fn overloaded() -> Self {
        let kind = FailureKind::Overloaded;
        Self::NotConnected(Detailed { kind, text: kind.text().to_owned() }.into())
    }

    /// Whether the request certainly did not reach the other side.
    pub fn never_left(&self) -> bool {
        !matches!(self, Self::AnswerLost(_))
    }

    /// What failed, without details of the network and its certificates: for tenants, who choose the addresses. The
    /// error's own text has the details, for the installation's log.
    pub fn summary(&self) -> String {
        let kind = self.kind().text();
        match self {
            Self::NotConnected(_) => format!("no connection: {kind}"),
            Self::Forbidden(why) => format!("not allowed: {why}"),
            Self::AnswerLost(_) => format!("no answer: {kind}"),
        }
    }

    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Forbidden(_) => FailureKind::NotAllowed,
            Self::NotConnected(error) | Self::AnswerLost(error) => {
                error.downcast_ref::<Detailed>().map_or(FailureKind::Other, |detailed| detailed.kind)
            }
        }
    }
}

/// What kept a request from its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    TimedOut,
    NotResolved,
    Refused,
    Unreachable,
    /// No TLS session: the certificate was rejected, or the other side does not speak TLS.
    Handshake,
    NotConnected,
    /// The other side closed the connection before it had answered.
    Closed,
    NotHttp,
    NotAllowed,
    /// This process has too many connections open (`outgoing`).
    Overloaded,
    Other,
}

impl FailureKind {
    const fn text(self) -> &'static str {
        match self {
            Self::TimedOut => "not within the time limit",
            Self::NotResolved => "the name does not resolve",
            Self::Refused => "refused",
            Self::Unreachable => "not reachable",
            Self::Handshake => "the TLS handshake failed",
            Self::NotConnected => "the connection failed",
            Self::Closed => "closed by the other side",
            Self::NotHttp => "closed, or not an answer of HTTP",
            Self::NotAllowed => "not allowed",
            Self::Overloaded => "too many of this server's connections are in use",
            Self::Other => "failed",
        }
    }
}

/// A failure of the HTTP client: its kind, and its text with those of its causes.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Detailed {
    kind: FailureKind,
    text: String,
}

impl Detailed {
    fn classify(error: &reqwest::Error) -> Self {
        let io = sources(error).filter_map(|source| source.downcast_ref::<std::io::Error>()).last();
        let kind = match io.map(std::io::Error::kind) {
            _ if error.is_timeout() => FailureKind::TimedOut,
            Some(std::io::ErrorKind::TimedOut) => FailureKind::TimedOut,
            // Before the errors of connections: that to a name server may be refused, too.
            _ if sources(error).any(<dyn std::error::Error>::is::<NotResolved>) => FailureKind::NotResolved,
            Some(std::io::ErrorKind::ConnectionRefused) => FailureKind::Refused,
            Some(std::io::ErrorKind::InvalidData) => FailureKind::Handshake,
            Some(std::io::ErrorKind::HostUnreachable | std::io::ErrorKind::NetworkUnreachable) => {
                FailureKind::Unreachable
            }
            Some(
                std::io::ErrorKind::ConnectionReset
                | std::io::ErrorKind::BrokenPipe
                | std::io::ErrorKind::UnexpectedEof,
            ) => FailureKind::Closed,
            _ if error.is_connect() => FailureKind::NotConnected,
            _ => FailureKind::NotHttp,
        };
        Self { kind, text: full_text(error) }
    }
}

pub trait Transport: Debug + Send + Sync {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>>;
}

/// Request extension: time limit of this call, up to the last byte of the answer.
#[derive(Debug, Clone, Copy)]
pub struct CallTime(pub Duration);

/// Default time limits.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    pub connect: Duration,
    /// A whole call, up to the last byte of the answer, unless the request has a `CallTime`.
    pub call: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), call: Duration::from_secs(30) }
    }
}

/// HTTP over TCP. Follows no redirect, uses no proxy, pools connections.
#[derive(Debug, Clone)]
pub struct HttpTransport {
    client: reqwest::Client,
}

impl HttpTransport {
    pub fn new(timeouts: Timeouts) -> reqwest::Result<Self> {
        client(timeouts).build().map(|client| Self { client })
    }

    pub(crate) fn from_client(client: reqwest::Client) -> Self {
        Self { client }
    }
}

/// The TLS configuration of all HTTP clients in this process, and their store of TLS sessions. Reading the machine's root
/// certificates takes most of the time of building a client, so they are read once. None if they cannot be read: the
/// client then reads them itself, and its error says what is wrong.
fn shared_tls() -> Option<ClientConfig> {
    static SHARED: LazyLock<Option<ClientConfig>> = LazyLock::new(|| {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
        let mut tls = builder.with_platform_verifier().ok()?.with_no_client_auth();
        tls.alpn_protocols = vec!["h2".into(), "http/1.1".into()];
        Some(tls)
    });
    SHARED.clone()
}

pub(crate) fn client(timeouts: Timeouts) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder();
    let builder = match shared_tls() {
        Some(tls) => builder.tls_backend_preconfigured(tls),
        None => builder,
    };
    builder
        .no_proxy()
        .redirect(redirect::Policy::none())
        .connect_timeout(timeouts.connect)
        .timeout(timeouts.call)
        .tcp_nodelay(true)
        .pool_idle_timeout(IDLE_TIME)
        .user_agent(USER_AGENT)
        .dns_resolver(NameResolver)
}

impl Transport for HttpTransport {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let time = request.extensions().get::<CallTime>().copied();
            let request = request.map(|body| reqwest::Body::wrap(Shareable(Mutex::new(body))));
            let mut request = reqwest::Request::try_from(request).map_err(classified)?;
            if let Some(CallTime(time)) = time {
                *request.timeout_mut() = Some(time);
            }
            let response = self.client.execute(request).await.map_err(classified)?;
            let response = Response::<reqwest::Body>::from(response);
            Ok(response.map(|body| body.map_err(|error| error.without_url().into()).boxed_unsync()))
        })
    }
}

/// A time-out of the whole call counts as `AnswerLost`, because the client does not say how much was sent.
fn classified(error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    match () {
        () if error.is_builder() => TransportError::Forbidden(full_text(&error)),
        () if refused_by_guard(&error) => TransportError::Forbidden(full_text(&error)),
        () if error.is_connect() => TransportError::NotConnected(Detailed::classify(&error).into()),
        () => TransportError::AnswerLost(Detailed::classify(&error).into()),
    }
}

fn refused_by_guard(error: &reqwest::Error) -> bool {
    sources(error).any(<dyn std::error::Error>::is::<Refused>)
}

/// The error's text with those of its sources, which hold the reason.
fn full_text(error: &reqwest::Error) -> String {
    sources(error).fold(error.to_string(), |text, source| format!("{text}: {source}"))
}

fn sources(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

/// Makes a body `Sync`, as reqwest requires. The mutex is never contended.
struct Shareable(Mutex<Body>);

impl http_body::Body for Shareable {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(self.0.get_mut()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        assert_eq!(collect(empty(), 0).await.unwrap(), Bytes::new());
        assert_eq!(collect(full("four"), 4).await.unwrap(), Bytes::from("four"));
        assert!(matches!(collect(full("fives"), 4).await, Err(CollectError::TooLarge(4))));
    }

    #[tokio::test]
    async fn a_failed_connection_sends_nothing() {
        // A port that was free a moment ago: connections to it are refused.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let transport = HttpTransport::new(Timeouts::default()).unwrap();
        let request = Request::get(format!("http://127.0.0.1:{port}/secret-path")).body(empty()).unwrap();
        let error = transport.call(request).await.unwrap_err();
        assert!(matches!(error, TransportError::NotConnected(_)) && error.never_left(), "{error}");
        assert!(!format!("{error} {error:?}").contains("secret-path"), "{error:?}");
        assert_eq!((error.kind(), error.summary().as_str()), (FailureKind::Refused, "no connection: refused"));
    }

    #[tokio::test]
    async fn only_http_can_be_called() {
        let transport = HttpTransport::new(Timeouts::default()).unwrap();
        let request = Request::get("ftp://example.com/").body(empty()).unwrap();
        assert!(matches!(transport.call(request).await, Err(TransportError::Forbidden(_))));
    }
}
