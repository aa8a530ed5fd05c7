//! A tenant whose endpoints accept every connection and never answer. The long form records calls for five minutes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::probes::{assert_calm, beside, quiet};
use super::world::Siege;
use crate::home::Home;
use crate::webhooks::receiver::Receiver;
use crate::{eventually, http, is_long};

/// Few, so that deliveries without a bound would use all of them.
const OPEN_FILES: u32 = 2048;
/// Most resident memory in MiB more than before the attack.
const MORE_MEMORY: u64 = 96;
/// All endpoints that a tenant may have, but one.
const ENDPOINTS: usize = 99;
const CALLS: usize = 300;
/// Far more than a new connection takes to be answered.
const ANSWERED: Duration = Duration::from_secs(10);

/// Accepts connections and reads, and never answers.
struct SilentReceiver {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl SilentReceiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, accepted) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&accepted);
        let accepting = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move { tokio::io::copy(&mut stream, &mut tokio::io::sink()).await });
            }
        });
        Self { address, accepted, accepting }
    }
}

impl Drop for SilentReceiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

pub async fn story(home: Home) {
    let world = Siege::with_open_files(home, OPEN_FILES).await;
    let (own, of_neighbour) = (Receiver::accepting().await, Receiver::accepting().await);
    create(&world, &own.url("/own"), 32).await;
    world.neighbour_endpoint(&of_neighbour.url("/theirs")).await;
    record(&world, 1).await;
    own.has_accepted(1).await;
    quiet(&world).await;

    let silent = SilentReceiver::start().await;
    for number in 0..ENDPOINTS {
        create(&world, &format!("http://{}/{number}", silent.address), 256).await;
    }
    let ((), seen) = beside(&world, "deliveries that hang", stream(&world, &silent, &own, &of_neighbour)).await;
    let (before, most) = (seen.before.memory, seen.most.memory);
    assert!(most <= before + MORE_MEMORY, "{most} MiB after {before} MiB");
    assert_calm(&world, "deliveries that hang", &seen);
    world.stop().await;
}

async fn create(world: &Siege, url: &str, max_in_flight: usize) {
    let body = json!({"url": url, "eventTypes": ["call.status"], "max_in_flight": max_in_flight});
    let (status, made) = world.attack(http().post(world.server.url("/api/ext/v3/webhooks")).json(&body)).await;
    assert_eq!(status, StatusCode::OK, "{made}");
}

/// Records this many calls of the attacker.
async fn record(world: &Siege, count: usize) {
    let client = http();
    let one = async || {
        let call = json!({
            "call_id": format!("call-{:x}", rand::random::<u64>()), "direction": "inbound",
            "from_number": "14155552671", "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let (status, answer) = world.attack(client.post(world.server.url("/api/ext/v3/calls")).json(&call)).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    };
    for some in (0..count).collect::<Vec<_>>().chunks(10) {
        futures_util::future::join_all(some.iter().map(|_| one())).await;
    }
}

/// Records calls of the attacker, whose events no endpoint but one accepts. Meanwhile, new connections are answered,
/// and that endpoint and the neighbour's get their events.
async fn stream(world: &Siege, silent: &SilentReceiver, own: &Receiver, of_neighbour: &Receiver) {
    let until = Instant::now() + if is_long() { Duration::from_mins(5) } else { Duration::ZERO };
    let (neighbour, mut recorded) = (world.neighbour(), 1);
    loop {
        record(world, CALLS).await;
        recorded += CALLS;
        eventually("deliveries hang", async || (silent.accepted.load(Ordering::Relaxed) >= 10).then_some(())).await;
        for number in 0..10 {
            answer_on_new_connection(world).await;
            let delivered = *of_neighbour.accepted().borrow();
            assert!(neighbour.ask(2 * number).await.unwrap().is_success());
            of_neighbour.has_accepted(delivered + 1).await;
        }
        if Instant::now() >= until {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    own.has_accepted(recorded).await;
}

async fn answer_on_new_connection(world: &Siege) {
    let answer = async {
        let mut stream = TcpStream::connect(world.server.address).await.unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
    };
    assert!(tokio::time::timeout(ANSWERED, answer).await.is_ok(), "a new connection is not answered");
}
