//! The attacks, one function each.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::http2;
use super::probes::{assert_bounded, beside, duration};
use super::world::{ADMIN, Siege, TEMPLATE};
use crate::{http, is_long};

const EXPORT: &str = "/api/ext/v3/contacts/export?format=jsonl";
/// Far more than the time limits in the settings of the world.
const TIMEOUT: Duration = Duration::from_secs(30);

async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, work).await.unwrap_or_else(|_| panic!("in vain: {what}"))
}

/// More connections than the server allows, of HTTP/2 and without a request. They are closed in time.
pub async fn idle_connections(world: &Siege) {
    let count = if is_long() { 900 } else { 500 };
    let attack = async {
        let mut open = Vec::new();
        for _ in 0..count {
            open.push(http2::connect(world.server.address).await);
        }
        let mut last = open.pop().unwrap();
        within("an idle connection is closed", http2::resets(&mut last, usize::MAX)).await;
    };
    beside(world, "idle connections", attack).await;
}

/// Sixty exports of which nothing is read, over HTTP/2 with a window of zero and over HTTP/1. They are cut off.
pub async fn unread_exports(world: &Siege) {
    let over_http2 = async {
        let mut connection = http2::connect(world.server.address).await;
        for number in 0..60 {
            http2::get(&mut connection, 2 * number + 1, EXPORT, &world.token).await;
        }
        within("the streams are reset", http2::resets(&mut connection, 60)).await
    };
    let (resets, seen) = beside(world, "60 unread exports over HTTP/2", over_http2).await;
    assert!(resets >= 20, "{resets} streams were reset; the others were refused");
    assert_bounded("60 unread exports over HTTP/2", &seen);
    let over_http1 = async {
        let mut connections = Vec::new();
        for _ in 0..60 {
            // A small buffer, so that the system does not take the answer in place of the client.
            let socket = TcpSocket::new_v4().unwrap();
            socket.set_recv_buffer_size(8 << 10).unwrap();
            let mut stream = socket.connect(world.server.address).await.unwrap();
            let request = format!("GET {EXPORT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", world.token);
            stream.write_all(request.as_bytes()).await.unwrap();
            connections.push(stream);
        }
        // The server gives up after two seconds; only then something is read.
        tokio::time::sleep(Duration::from_secs(5)).await;
        let mut cut = 0;
        for mut stream in connections {
            let mut answer = Vec::new();
            let _ = within("the connection ends", stream.read_to_end(&mut answer)).await;
            cut += usize::from(answer.starts_with(b"HTTP/1.1 200") && !answer.ends_with(b"0\r\n\r\n"));
        }
        cut
    };
    let (cut, seen) = beside(world, "60 unread exports over HTTP/1", over_http1).await;
    assert!(cut >= 20, "{cut} answers were cut off; the others were refused");
    assert_bounded("60 unread exports over HTTP/1", &seen);
}

/// As many conditions as the tenant may have, and lists of contacts, all of which have to look at them.
pub async fn many_conditions(world: &Siege) {
    let client = http();
    let condition =
        |n: usize| json!({"attribute": format!("a{}", n % 4), "operator": "notContain", "value": format!("{n}")});
    let group = || json!({"conditions": (0..20).map(condition).collect::<Vec<_>>()});
    let mut refused = Value::Null;
    for number in 0..10 {
        let groups: Vec<Value> = (0..10).map(|_| group()).collect();
        let body = json!({"name": format!("segment {number}"), "refreshType": 2, "groups": groups});
        let url = world.server.url("/100001/api/v1/createCustomSegment");
        let (status, answer) = world.attack(client.post(url).json(&body)).await;
        if status == StatusCode::TOO_MANY_REQUESTS {
            refused = answer;
            break;
        }
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    let expected = ("limit_reached", "conditions", 1_000, 1_000);
    let is = (&refused["reason"], &refused["limit"], &refused["used"], &refused["max"]);
    assert_eq!(is, (&json!(expected.0), &json!(expected.1), &json!(expected.2), &json!(expected.3)), "{refused}");
    let clients = if is_long() { 16 } else { 4 };
    let attack = repeat(world, clients, |world, client| {
        let list = client.get(world.server.url("/api/ext/v3/contacts?page_size=100"));
        async move { world.attack(list).await.0 }
    });
    let (statuses, _) = beside(world, "lists with 1 000 conditions", attack).await;
    assert!(statuses.iter().copied().all(is_bounded), "{statuses:?}");
}

/// Posts to the attacker's hook whose signature is wrong and whose body does not arrive. They are ended in time, and
/// the neighbour's hook is not delayed.
pub async fn slow_hooks(world: &Siege) {
    let attack = async {
        let mut connections = Vec::new();
        for _ in 0..64 {
            let mut stream = TcpStream::connect(world.server.address).await.unwrap();
            let head = format!(
                "POST {} HTTP/1.1\r\nhost: x\r\nx-hub-signature-256: sha256={}\r\ncontent-length: 4000000\r\n\r\n{{",
                world.hook,
                "0".repeat(64),
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            connections.push(stream);
        }
        let forged = world.neighbour_post(&world.neighbour_hook).header("x-hub-signature-256", "sha256=00");
        assert_eq!(forged.body("{}").send().await.unwrap().status(), StatusCode::FORBIDDEN);
        for mut stream in connections {
            let mut answer = [0; 12];
            within("a slow post is ended", stream.read_exact(&mut answer)).await.unwrap();
            assert_eq!(&answer, b"HTTP/1.1 408");
        }
    };
    beside(world, "64 slow posts to a hook", attack).await;
}

/// Webhooks at names that do not resolve, each tested over and over, and a log-in beside them.
pub async fn names_that_do_not_resolve(world: &Siege) {
    let client = http();
    let mut ids = Vec::new();
    for number in 0..20 {
        let body = json!({"url": format!("https://never-{number}.invalid/hook"), "eventTypes": ["message"]});
        let (status, made) = world.attack(client.post(world.server.url("/api/ext/v3/webhooks")).json(&body)).await;
        assert_eq!(status, StatusCode::OK, "{made}");
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    let attack = repeat(world, 20, |world, client| {
        let id = &ids[rand::random_range(0..ids.len())];
        let test = client.post(world.server.url(&format!("/api/ext/v3/webhooks/{id}/test")));
        async move { world.attack(test).await.0 }
    });
    let log_in = async {
        let body = json!({"email": ADMIN, "password": "a wrong password"});
        let origin = world.server.url("");
        let log_in = world.neighbour_post("/console/api/session").header("origin", origin).json(&body);
        log_in.send().await.unwrap().status()
    };
    let both = async { tokio::join!(attack, within("a log-in is answered", log_in)) };
    let ((_, status), _) = beside(world, "webhooks without addresses", both).await;
    assert!(status.is_client_error(), "{status}");
}

/// Dry runs of large broadcasts, one after the other, by several clients.
pub async fn dry_runs(world: &Siege) {
    // Without optimisation, the largest broadcast takes a slow machine longer than a request of the neighbour may wait.
    let (count, clients) = if is_long() { (10_000, 8) } else { (2_000, 2) };
    let recipients: Vec<Value> =
        (0..count).map(|n| json!({"phone_number": format!("141555{n:05}"), "custom_params": []})).collect();
    let send = json!({"template_name": TEMPLATE, "broadcast_name": "Spring", "recipients": recipients}).to_string();
    let attack = repeat(world, clients, |world, client| {
        let url = world.server.url("/api/ext/v3/messageTemplates/send?dry_run=true");
        let request = client.post(url).header("content-type", "application/json").body(send.clone());
        async move { world.attack(request).await.0 }
    });
    let (statuses, _) = beside(world, "dry runs", attack).await;
    assert!(statuses.contains(&StatusCode::OK), "{statuses:?}");
    assert!(statuses.iter().copied().all(is_bounded), "{statuses:?}");
}

/// What heavy requests of the attacker may be answered: also that their time is over, on a busy machine.
fn is_bounded(status: StatusCode) -> bool {
    matches!(status.as_u16(), 200 | 408 | 429 | 503)
}

/// Sends requests by this many clients at a time, for as long as an attack lasts; returns what they were answered.
pub async fn repeat<'w, F: Future<Output = StatusCode>>(
    world: &'w Siege,
    clients: usize,
    request: impl Fn(&'w Siege, &reqwest::Client) -> F,
) -> Vec<StatusCode> {
    let client = http();
    let until = Instant::now() + duration();
    let one = async || {
        let mut statuses = Vec::new();
        while Instant::now() < until {
            statuses.push(request(world, &client).await);
        }
        statuses
    };
    let all = futures_util::future::join_all((0..clients).map(|_| one())).await;
    all.into_iter().flatten().collect()
}
