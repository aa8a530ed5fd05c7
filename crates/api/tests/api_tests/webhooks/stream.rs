//! Streaming the log over a real socket.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::Body;
use domain::identity::roles::Role;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use testkit::World;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::console::{SESSION, logged_in};
use crate::conversations::talk;
use crate::webhooks::world::{EVENTS, Webhooks as _};

const LIVE: &str = "/console/api/live";
/// Longer than any step of these tests takes, so that a hang becomes a failure.
const WAIT_AT_MOST: Duration = Duration::from_mins(1);

/// Serves the edge on a new socket and returns its port.
async fn listen(world: &World) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let edge = world.edge();
    tokio::spawn(async move {
        while let Ok((socket, peer)) = listener.accept().await {
            let edge = edge.clone();
            let service = service_fn(move |request: hyper::Request<Incoming>| {
                let edge = edge.clone();
                async move { Ok::<_, std::convert::Infallible>(edge.handle(request.map(Body::new), peer).await) }
            });
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service));
        }
    });
    port
}

/// A minimal client for server-sent events.
struct Follower {
    socket: TcpStream,
    text: String,
}

impl Follower {
    async fn new(port: u16, token: &str, query: &str, more: &str) -> Self {
        let headers = format!("Authorization: Bearer {token}\r\n{more}");
        Self::connect(port, &format!("{EVENTS}/stream{query}"), &headers).await
    }

    async fn connect(port: u16, path: &str, headers: &str) -> Self {
        let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let head = format!("GET {path} HTTP/1.0\r\nHost: x\r\n{headers}\r\n");
        socket.write_all(head.as_bytes()).await.unwrap();
        let mut follower = Self { socket, text: String::new() };
        let head = follower.until("\r\n\r\n").await.unwrap();
        assert!(head.contains("200 OK") && head.contains("text/event-stream"), "{head}");
        follower
    }

    /// Reads up to this mark and returns the text before it; None if the stream has ended.
    async fn until(&mut self, mark: &str) -> Option<String> {
        loop {
            if let Some((before, rest)) = self.text.split_once(mark) {
                let (before, rest) = (before.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(before);
            }
            let mut bytes = [0; 4096];
            let count = tokio::time::timeout(WAIT_AT_MOST, self.socket.read(&mut bytes)).await.unwrap().unwrap();
            if count == 0 {
                assert!(self.text.is_empty(), "cut off: {}", self.text);
                return None;
            }
            self.text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        }
    }

    /// Number, type and `call_id` of the next event; None if the stream has ended.
    async fn event(&mut self) -> Option<(i64, String, String)> {
        loop {
            let event = self.until("\n\n").await?;
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            let Some(data) = field("data: ") else { continue };
            let payload: serde_json::Value = serde_json::from_str(&data).unwrap();
            let call = payload["call_id"].as_str().unwrap().to_owned();
            return Some((field("id: ")?.parse().unwrap(), field("event: ")?, call));
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be absent")]
fn expected_event(number: i64, call: u32) -> Option<(i64, String, String)> {
    Some((number, "call.status".to_owned(), format!("pbx-{call}")))
}

testkit::both_databases! {
    async fn events_are_streamed_and_a_reader_resumes(world = World::with_api_token) {
        let port = listen(&world).await;
        world.record_call(1).await;
        let mut from_now = Follower::new(port, &world.token, "", "").await;
        let mut from_start = Follower::new(port, &world.token, "?after=0", "").await;
        let mut typed = Follower::new(port, &world.token, "?after=0&types=message,call.status", "").await;
        let mut others = Follower::new(port, &world.token, "?after=0&types=message", "").await;
        assert_eq!(from_start.event().await, expected_event(1, 1));
        for n in 2..5 {
            world.record_call(n).await;
            for reader in [&mut from_now, &mut from_start] {
                assert_eq!(reader.event().await, expected_event(n.into(), n));
            }
        }
        for n in 1..5 {
            assert_eq!(typed.event().await, expected_event(n.into(), n));
        }
        drop(from_start);
        world.record_call(5).await;
        // `Last-Event-ID` wins over `after`: a browser that reconnects requests the same address again.
        let mut back = Follower::new(port, &world.token, "?after=0", "Last-Event-ID: 3\r\n").await;
        assert_eq!((back.event().await, back.event().await), (expected_event(4, 4), expected_event(5, 5)));
        // A stopping server ends the streams.
        world.edge().end_streams();
        for reader in [&mut back, &mut others] {
            assert_eq!(reader.event().await, None);
        }
        while let Some((number, ..)) = from_now.event().await {
            assert_eq!(number, 5);
        }
    }

    /// A search for rare types in a long log would hold the connection's thread.
    async fn a_connection_reads_nothing_from_the_log_itself(world = World::with_api_token) {
        world.record_call(1).await;
        let ask = testkit::world::request("GET", &format!("{EVENTS}/stream?after=0"), Some(&world.token));
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 4711));
        let mut body = world.edge().handle(ask.body(Body::empty()).unwrap(), peer).await.into_body();
        let mut frame = pin!(body.frame());
        let first = loop {
            let before = world.app.db().traffic();
            let polled = frame.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(world.app.db().traffic(), before, "the connection has read");
            match polled {
                Poll::Ready(first) => break first.unwrap().unwrap().into_data().unwrap(),
                Poll::Pending => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        assert!(first.starts_with(b"id: 1\n"), "{first:?}");
    }

    async fn a_credential_that_ends_takes_the_stream_with_it(world = World::with_api_token) {
        let port = listen(&world).await;
        let tenant = world.tenant();
        world.account(tenant, "owner@example.com", Role::Administrator).await;
        let (id, token) = world.token_of(tenant, "owner@example.com", &["webhooksv3:read"]).await;
        let mut reader = Follower::new(port, &token, "", "").await;
        let mut stays = Follower::new(port, &world.token, "", "").await;
        world.record_call(1).await;
        assert_eq!(reader.event().await, expected_event(1, 1));
        world.app.identity().tokens().revoke(&app::Command(tenant), id).await.unwrap();
        assert_eq!(reader.event().await, None);
        world.record_call(2).await;
        assert_eq!((stays.event().await, stays.event().await), (expected_event(1, 1), expected_event(2, 2)));
    }

    async fn a_session_follows_until_it_ends(world = World::with_api_token) {
        let port = listen(&world).await;
        let ada = logged_in(&world, "ada", Role::Administrator).await;
        let cookie = format!("Cookie: {}\r\n", ada.cookie);
        let mut reader = Follower::connect(port, "/console/api/events/stream", &cookie).await;
        world.record_call(1).await;
        assert_eq!(reader.event().await, expected_event(1, 1));
        ada.call(&world, "DELETE", SESSION, &serde_json::json!({})).await;
        assert_eq!(reader.event().await, None);
    }

    async fn an_operator_follows_changes_and_not_the_event_log(world = World::with_api_token) {
        let port = listen(&world).await;
        let ben = logged_in(&world, "ben", Role::Operator).await;
        let cookie = format!("Cookie: {}\r\n", ben.cookie);
        let mut reader = Follower::connect(port, LIVE, &cookie).await;
        assert_eq!(reader.until("\n\n").await.as_deref(), Some("id: 0"), "where it begins");
        world.record_call(1).await;
        assert_eq!(reader.event().await, expected_event(1, 1));
        let mut back = Follower::connect(port, LIVE, &format!("{cookie}Last-Event-ID: 0\r\n")).await;
        assert_eq!(back.event().await, expected_event(1, 1));
        for path in ["/console/api/events", "/console/api/events/stream"] {
            let refused = ben.call(&world, "GET", path, &serde_json::json!({})).await;
            assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (403, "role_denied"), "{path}");
        }
        ben.call(&world, "DELETE", SESSION, &serde_json::json!({})).await;
        assert_eq!((reader.event().await, back.event().await), (None, None));
    }

    async fn an_open_console_learns_at_once_who_is_writing(world = World::with_api_token) {
        let world = world.with_channel("Support", "14155550100").await;
        let port = listen(&world).await;
        let (ada, ben) =
            (logged_in(&world, "ada", Role::Operator).await, logged_in(&world, "ben", Role::Operator).await);
        let contact = world.contact("14155552671", "Ada Lovelace").await;
        let conversation = talk(&world, world.channel(), contact.id).await.id.to_string();
        let mut reader = Follower::connect(port, LIVE, &format!("Cookie: {}\r\n", ada.cookie)).await;
        let mut log = Follower::new(port, &world.token, "", "").await;
        let presence = format!("/console/api/conversations/{conversation}/presence");
        for state in ["viewing", "writing", "writing", "gone"] {
            ben.call(&world, "PUT", &presence, &serde_json::json!({"state": state})).await;
        }
        let mut states = Vec::new();
        while states.len() < 3 {
            let text = reader.until("\n\n").await.unwrap();
            let Some(data) = text.strip_prefix("event: presence\ndata: ") else { continue };
            let signal: serde_json::Value = serde_json::from_str(data).unwrap();
            assert_eq!(signal["conversationId"], conversation);
            states.push(signal["state"].as_str().unwrap().to_owned());
        }
        assert_eq!(states, ["viewing", "writing", "gone"], "a repeated report is no news");
        // It is in no log: a call is the next that is followed.
        world.record_call(1).await;
        assert_eq!((log.event().await, reader.event().await), (expected_event(1, 1), expected_event(1, 1)));
    }

    async fn a_developer_who_is_demoted_loses_the_stream(world = World::with_api_token) {
        let (port, tenant) = (listen(&world).await, world.tenant());
        let dora = logged_in(&world, "dora", Role::Developer).await;
        let mut reader = Follower::connect(port, LIVE, &format!("Cookie: {}\r\n", dora.cookie)).await;
        let accounts = world.app.identity().accounts();
        accounts.set_role(&app::Command(tenant), &format!("dora-{tenant}@example.com"), Role::Operator).await.unwrap();
        assert_eq!(reader.event().await, None);
    }

    async fn what_cannot_be_followed_is_refused(world = World::with_api_token) {
        for (query, header, parameter) in [
            ("?after=7", "", "after"), ("?after=x", "", "after"), ("?types=none", "", "types[0]"),
            ("", "x", "Last-Event-ID"), ("", "-1", "Last-Event-ID"), ("", "7", "after"),
        ] {
            let mut request = testkit::world::request("GET", &format!("{EVENTS}/stream{query}"), Some(&world.token));
            if !header.is_empty() {
                request = request.header("last-event-id", header);
            }
            let refused = world.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &serde_json::json!(parameter)), "{query} {header}");
        }
        let open = world.get(&format!("{EVENTS}/stream")).await;
        assert_eq!((open.status.as_u16(), open.headers["cache-control"].to_str().unwrap()), (200, "no-store"));
    }
}
