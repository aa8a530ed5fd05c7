//! Real sockets on loopback, with time limits of milliseconds.

use std::net::SocketAddr;
use std::sync::Arc;

use domain::identity::networks::Networks;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(20);

struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

async fn start<H, F>(options: Options, handler: H) -> Server
where
    H: Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output: Into<Reply>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let stopped = async { drop(stopped.await) };
    let running = tokio::spawn(serve(listener, handler, options, stopped));
    Server { address, stop, running }
}

impl Server {
    async fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        tokio::time::timeout(TIMEOUT, self.running).await.expect("the server stops").unwrap();
    }
}

/// Reads everything until the server closes the connection.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = Vec::new();
    let read = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut text)).await;
    read.expect("the server closes").unwrap();
    String::from_utf8(text).unwrap()
}

fn options() -> Options {
    Options { refusal: |status| Some(format!("{{\"status\":{}}}", status.as_u16())), ..Options::default() }
}

async fn hello(_: Request<Incoming>, _: SocketAddr) -> Response<Body> {
    Response::new(Body::from("hello"))
}

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const GET_AND_CLOSE: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn a_request_is_answered() {
    let server = start(options(), hello).await;
    let text = answer(&mut server.send(GET_AND_CLOSE).await).await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\nhello"), "{text}");
    server.stop().await;
}

#[tokio::test]
async fn a_giant_header_gets_431_with_a_body_also_while_it_is_still_being_sent() {
    let server = start(options(), hello).await;
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let sending = tokio::spawn(async move {
        let giant = format!("GET / HTTP/1.1\r\nhost: x\r\nx-giant: {}\r\n\r\n", "a".repeat(1 << 20));
        // The server may stop reading; only its answer is checked.
        let _ = writing.write_all(giant.as_bytes()).await;
        writing
    });
    let mut text = Vec::new();
    tokio::time::timeout(TIMEOUT, reading.read_to_end(&mut text)).await.expect("the server closes").unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("HTTP/1.1 431 "), "{text}");
    assert!(text.ends_with("{\"status\":431}") && text.contains("x-request-id: "), "{text}");
    drop(sending.await.unwrap());
    server.stop().await;
}

#[tokio::test]
async fn too_many_headers_and_malformed_ones_are_refused_with_a_body() {
    let server = start(options(), hello).await;
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
    let cases: [(&[u8], u16); 5] = [
        (many.as_bytes(), 431),
        (b"GET / HTTP/1.1\r\nbad header: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nx: a\0b\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls instead of http\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400),
    ];
    for (request, status) in cases {
        let text = answer(&mut server.send(request).await).await;
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{text}");
        assert!(text.ends_with(&format!("{{\"status\":{status}}}")), "{text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn half_a_header_an_empty_connection_and_half_a_preface_are_closed_in_time() {
    let short = Options { header_timeout: Duration::from_millis(30), ..options() };
    let server = start(short, hello).await;
    for bytes in [b"GET / HTTP/1.1\r\nhos".as_slice(), b"", b"PRI * HT"] {
        let text = answer(&mut server.send(bytes).await).await;
        assert_eq!(text, "", "after {bytes:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_kept_for_longer_than_a_header_may_take_and_then_closed() {
    let short =
        Options { header_timeout: Duration::from_millis(30), idle_timeout: Duration::from_millis(300), ..options() };
    let server = start(short.clone(), hello).await;
    let began = std::time::Instant::now();
    let text = answer(&mut server.send(GET).await).await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(began.elapsed() >= short.idle_timeout, "closed too early");
    server.stop().await;
}

#[tokio::test]
async fn a_handler_may_take_longer_than_any_time_limit_of_the_connection() {
    let short =
        Options { header_timeout: Duration::from_millis(20), idle_timeout: Duration::from_millis(20), ..options() };
    let slow = async |request, peer| {
        tokio::time::sleep(Duration::from_millis(150)).await;
        hello(request, peer).await
    };
    let server = start(short, slow).await;
    let text = answer(&mut server.send(GET_AND_CLOSE).await).await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    server.stop().await;
}

/// A handler that signals when it was reached and waits for permission to answer.
#[derive(Clone, Default)]
struct Gate {
    reached: Arc<Notify>,
    open: Arc<Notify>,
}

impl Gate {
    async fn handle(self, request: Request<Incoming>, peer: SocketAddr) -> Response<Body> {
        self.reached.notify_one();
        self.open.notified().await;
        hello(request, peer).await
    }
}

#[tokio::test]
async fn a_stop_lets_a_request_in_flight_finish_and_takes_no_new_one() {
    let gate = Gate::default();
    let handler = gate.clone();
    let server = start(options(), move |request, peer| handler.clone().handle(request, peer)).await;
    let mut stream = server.send(GET).await;
    let idle = TcpStream::connect(server.address).await.unwrap();
    gate.reached.notified().await;
    server.stop.send(()).unwrap();
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    gate.open.notify_one();
    let text = answer(&mut stream).await;
    assert!(text.ends_with("\r\n\r\nhello"), "{text}");
    tokio::time::timeout(TIMEOUT, server.running).await.expect("the server stops").unwrap();
    drop(idle);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let gate = Gate::default();
    let handler = gate.clone();
    let short = Options { drain: Duration::from_millis(20), ..options() };
    let server = start(short, move |request, peer| handler.clone().handle(request, peer)).await;
    let mut stream = server.send(GET).await;
    gate.reached.notified().await;
    server.stop().await;
    assert_eq!(answer(&mut stream).await, "");
}

/// Answers `/wait` only when the gate opens.
fn gated(
    gate: &Gate,
) -> impl Fn(Request<Incoming>, SocketAddr) -> futures_util::future::BoxFuture<'static, Response<Body>>
+ Clone
+ Send
+ Sync
+ use<> {
    let gate = gate.clone();
    move |request, peer| {
        let gate = gate.clone();
        Box::pin(async move {
            if request.uri().path() == "/wait" { gate.handle(request, peer).await } else { hello(request, peer).await }
        })
    }
}

const WAIT: &[u8] = b"GET /wait HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn connections_beyond_the_cap_wait_while_all_others_are_busy() {
    let gate = Gate::default();
    let server = start(Options { max_connections: 1, ..options() }, gated(&gate)).await;
    let mut first = server.send(WAIT).await;
    gate.reached.notified().await;
    let mut second = server.send(GET_AND_CLOSE).await;
    gate.open.notify_one();
    assert!(answer(&mut first).await.ends_with("hello"));
    assert!(answer(&mut second).await.starts_with("HTTP/1.1 200 OK\r\n"));
    server.stop().await;
}

#[tokio::test]
async fn a_connection_beyond_the_cap_takes_the_place_of_an_idle_one() {
    for capped in [Options { max_connections: 2, ..options() }, Options { max_connections_per_address: 2, ..options() }]
    {
        let server = start(capped, hello).await;
        let mut idle = Vec::new();
        for _ in 0..4 {
            idle.push(TcpStream::connect(server.address).await.unwrap());
        }
        assert!(answer(&mut server.send(GET_AND_CLOSE).await).await.ends_with("hello"));
        let mut nothing = [0; 1];
        let closed = tokio::time::timeout(TIMEOUT, idle[0].read(&mut nothing)).await.expect("the oldest is closed");
        assert!(matches!(closed, Ok(0) | Err(_)));
        server.stop().await;
    }
}

#[tokio::test]
async fn an_address_with_only_busy_connections_gets_no_further_one_unless_it_is_a_proxy() {
    let gate = Gate::default();
    let capped = Options { max_connections_per_address: 1, ..options() };
    for (proxies, served) in [(Networks::default(), false), (Networks::parse(["127.0.0.0/8"]).unwrap(), true)] {
        let server = start(Options { proxies, ..capped.clone() }, gated(&gate)).await;
        let mut first = server.send(WAIT).await;
        gate.reached.notified().await;
        let mut second = TcpStream::connect(server.address).await.unwrap();
        let mut text = Vec::new();
        // The server may close before the request is written.
        let _ = second.write_all(GET_AND_CLOSE).await;
        let _ = tokio::time::timeout(TIMEOUT, second.read_to_end(&mut text)).await.expect("the server closes");
        assert_eq!(text.ends_with(b"hello"), served);
        gate.open.notify_one();
        assert!(answer(&mut first).await.ends_with("hello"));
        server.stop().await;
    }
}

/// A frame of HTTP/2: type, flags, stream and payload.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    [&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()
}

/// The beginning of a connection whose streams may send nothing: an initial window of zero.
fn http2_preface() -> Vec<u8> {
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &frame(4, 0, 0, &[0, 4, 0, 0, 0, 0])].concat()
}

/// `GET /` of host `x`, complete.
fn http2_get() -> Vec<u8> {
    frame(1, 5, 1, &[0x82, 0x86, 0x84, 0x41, 1, b'x'])
}

#[tokio::test]
async fn an_http2_connection_without_a_request_is_closed_however_often_it_pings() {
    let short =
        Options { header_timeout: Duration::from_millis(100), idle_timeout: Duration::from_millis(100), ..options() };
    let server = start(short, hello).await;
    for begin in [http2_preface(), [http2_preface(), http2_get(), frame(8, 0, 1, &[0, 0, 1, 0])].concat()] {
        let stream = server.send(&begin).await;
        let (mut reading, mut writing) = stream.into_split();
        let pinging = tokio::spawn(async move {
            while writing.write_all(&frame(6, 0, 0, &[7; 8])).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let mut all = Vec::new();
        // Closing a socket with unread pings resets it.
        let _ = tokio::time::timeout(TIMEOUT, reading.read_to_end(&mut all)).await.expect("the server closes");
        pinging.await.unwrap();
    }
    server.stop().await;
}

async fn large(_: Request<Incoming>, _: SocketAddr) -> Response<Body> {
    Response::new(Body::from(vec![b'x'; 64 << 20]))
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_cut_off() {
    let short = Options { reader_timeout: Duration::from_millis(50), ..options() };
    let server = start(short, large).await;
    let mut stream = server.send(GET).await;
    // Writes until the server has closed the connection, and reads nothing.
    let gone = async {
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, gone).await.expect("the server closes");
    server.stop().await;
}

#[tokio::test]
async fn on_http2_only_the_unread_stream_is_cut_off() {
    let short = Options { reader_timeout: Duration::from_millis(50), ..options() };
    let server = start(short, large).await;
    let mut stream = server.send(&[http2_preface(), http2_get()].concat()).await;
    let cancelled = async {
        loop {
            let mut head = [0; 9];
            stream.read_exact(&mut head).await.unwrap();
            let mut payload = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
            stream.read_exact(&mut payload).await.unwrap();
            if (head[3], head[8]) == (3, 1) {
                return payload;
            }
        }
    };
    let reason = tokio::time::timeout(TIMEOUT, cancelled).await.expect("the stream is reset");
    assert_eq!(reason, [0, 0, 0, 8]);
    stream.write_all(&frame(6, 0, 0, &[7; 8])).await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn http2_is_spoken_and_its_giant_headers_are_refused() {
    let server = start(options(), hello).await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/", server.address);
    assert_eq!(client.get(&url).send().await.unwrap().text().await.unwrap(), "hello");
    let giant = client.get(&url).header("x-giant", "a".repeat(100_000)).send().await;
    assert!(giant.is_ok_and(|response| response.status().as_u16() == 431));
    server.stop().await;
}

/// Answers everything but `/lost`, whose connection it resets.
async fn sometimes(request: Request<Incoming>, peer: SocketAddr) -> Reply {
    if request.uri().path() == "/lost" { Reply::Reset } else { hello(request, peer).await.into() }
}

const LOST: &[u8] = b"POST /lost HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody";

#[tokio::test]
async fn a_handler_can_reset_the_connection() {
    let server = start(options(), sometimes).await;
    let mut text = Vec::new();
    let read = server.send(LOST).await.read_to_end(&mut text).await;
    assert_eq!((read.unwrap_err().kind(), text.len()), (io::ErrorKind::ConnectionReset, 0));
    let text = answer(&mut server.send(GET_AND_CLOSE).await).await;
    assert!(text.ends_with("\r\n\r\nhello"), "the server goes on: {text}");
    server.stop().await;
}

#[tokio::test]
async fn on_http2_only_the_one_stream_is_reset() {
    let server = start(options(), sometimes).await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let get = |path: &str| client.get(format!("http://{}{path}", server.address)).send();
    assert!(get("/lost").await.is_err());
    assert_eq!(get("/").await.unwrap().text().await.unwrap(), "hello");
    server.stop().await;
}

#[tokio::test]
async fn a_socket_in_a_folder_is_served_like_an_address() {
    let file = testkit::database::fresh_folder().join("test.sock");
    let listener = UnixListener::bind(&file).unwrap();
    let (stop, stopped) = oneshot::channel();
    let handler = async |request: Request<Incoming>, ()| match request.uri().path() {
        "/lost" => Reply::Reset,
        _ => Response::new(Body::from("hello")).into(),
    };
    let running = tokio::spawn(serve(listener, handler, options(), async { drop(stopped.await) }));
    for (request, ends) in [(GET_AND_CLOSE, "\r\n\r\nhello"), (LOST, ""), (b"nonsense\r\n\r\n", "{\"status\":400}")] {
        let mut stream = UnixStream::connect(&file).await.unwrap();
        stream.write_all(request).await.unwrap();
        let text = answer(&mut stream).await;
        assert!(text.ends_with(ends) && text.is_empty() == ends.is_empty(), "{text}");
    }
    stop.send(()).unwrap();
    tokio::time::timeout(TIMEOUT, running).await.expect("the server stops").unwrap();
}

/// The two sides of TLS with a certificate for `localhost`.
fn tls() -> (Arc<rustls::ServerConfig>, TlsConnector) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.key_pair.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let server = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (Arc::new(server), TlsConnector::from(Arc::new(client)))
}

struct TlsServer {
    server: Server,
    connector: TlsConnector,
}

impl TlsServer {
    async fn start<H, F>(options: Options, handler: H) -> Self
    where
        H: Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + Sync + 'static,
        F: Future<Output: Into<Reply>> + Send + 'static,
    {
        let (config, connector) = tls();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let listener = TlsListener::new(listener, config);
        let running = tokio::spawn(serve(listener, handler, options, async { drop(stopped.await) }));
        Self { server: Server { address, stop, running }, connector }
    }

    async fn send(&self, bytes: &[u8]) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.server.address).await.unwrap();
        let mut stream = self.connector.connect("localhost".try_into().unwrap(), stream).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }
}

#[tokio::test]
async fn requests_over_tls_are_answered_refused_and_reset_like_plain_ones() {
    let tls = TlsServer::start(options(), sometimes).await;
    for (request, ends) in [(GET_AND_CLOSE, "\r\n\r\nhello"), (b"nonsense\r\n\r\n", "{\"status\":400}")] {
        let text = answer(&mut tls.send(request).await).await;
        assert!(text.ends_with(ends), "{text}");
    }
    let mut text = Vec::new();
    let read = tls.send(LOST).await.read_to_end(&mut text).await;
    assert_eq!((read.unwrap_err().kind(), text.len()), (io::ErrorKind::ConnectionReset, 0));
    tls.server.stop().await;
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_cut_off_over_tls_too() {
    let short = Options { reader_timeout: Duration::from_millis(50), ..options() };
    let tls = TlsServer::start(short, large).await;
    let mut stream = tls.send(GET).await;
    let gone = async {
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, gone).await.expect("the server closes");
    tls.server.stop().await;
}

#[tokio::test]
async fn a_handshake_that_does_not_end_is_closed_in_time() {
    let short = Options { header_timeout: Duration::from_millis(30), ..options() };
    let tls = TlsServer::start(short, hello).await;
    for bytes in [b"".as_slice(), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"] {
        assert_eq!(answer(&mut tls.server.send(bytes).await).await, "", "after {bytes:?}");
    }
    // A finished handshake without a request counts the same; on a slow machine the time ends within the handshake.
    let stream = TcpStream::connect(tls.server.address).await.unwrap();
    let closed = async {
        let mut nothing = Vec::new();
        if let Ok(mut stream) = tls.connector.connect("localhost".try_into().unwrap(), stream).await {
            let _ = stream.read_to_end(&mut nothing).await;
        }
        nothing
    };
    assert_eq!(tokio::time::timeout(TIMEOUT, closed).await.expect("the server closes"), b"");
    tls.server.stop().await;
}
