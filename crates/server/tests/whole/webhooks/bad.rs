//! Endpoints that misbehave: their failures are recorded with the reason, other endpoints are not delayed, and the
//! server keeps running.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::http::StatusCode;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use super::SETTINGS;
use super::api::{Api, Failed};
use super::calls::record;
use super::check;
use super::receiver::{Received, Receiver, Reply, endless};
use crate::home::Home;
use crate::sending::nodes::Nodes;
use crate::{eventually, http};

const BIG: usize = 64 << 10;
/// Pause in seconds that an endpoint asks for.
const RETRY_AFTER: &str = "7200";
const CALLS: usize = 20;

fn misbehaves(received: &Received, _: usize) -> Reply {
    match received.path.as_str() {
        "/big" => Reply::with(StatusCode::OK, Body::from("x".repeat(BIG))),
        "/big-failure" => Reply::with(StatusCode::BAD_REQUEST, Body::from("y".repeat(BIG))),
        "/endless" => Reply::with(StatusCode::OK, endless()),
        "/endless-failure" => Reply::with(StatusCode::BAD_GATEWAY, endless()),
        "/elsewhere" => Reply::status(StatusCode::FOUND).header("location", "/good"),
        "/gone" => Reply::status(StatusCode::GONE),
        "/busy" => Reply::status(StatusCode::SERVICE_UNAVAILABLE).header("retry-after", RETRY_AFTER),
        "/vanishes" => Reply::Vanish,
        _ => Reply::status(StatusCode::OK),
    }
}

/// A port that answers with something that is not HTTP.
async fn babbler() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"\0\xffSSH-2.0-babble\r\n\r\n").await;
        }
    });
    port
}

/// A port without a listener.
fn closed_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn bad_endpoints_delay_no_other_and_their_failures_are_recorded() {
    let home = Arc::new(Home::sqlite());
    let (nodes, token) = Nodes::first_with(home.clone(), &SETTINGS).await;
    let (api, receiver) = (Api::new(&nodes, &token), Receiver::start(misbehaves).await);
    let good = api.create(&receiver.url("/good")).await;
    let mut bad = BTreeMap::new();
    for path in ["/big", "/big-failure", "/endless", "/endless-failure", "/elsewhere", "/gone", "/busy", "/vanishes"] {
        bad.insert(path, api.create(&receiver.url(path)).await.id);
    }
    bad.insert("tls", api.create(&format!("https://127.0.0.1:{}/tls", receiver.port())).await.id);
    bad.insert("closed", api.create(&format!("http://127.0.0.1:{}/", closed_port())).await.id);
    bad.insert("babble", api.create(&format!("http://127.0.0.1:{}/", babbler().await)).await.id);

    record(&nodes, &token, 0..CALLS).await;
    check::settled(&api, &good.id, CALLS).await;
    assert_eq!(check::received(&receiver.at("/good"), CALLS), 0, "a redirect was followed");
    for (path, error, status) in [
        ("/big-failure", "answered 400", Some(400)),
        ("/endless-failure", "answered 502", Some(502)),
        ("/elsewhere", "answered 302: redirects are not followed", Some(302)),
        ("/busy", "answered 503", Some(503)),
        ("/vanishes", "no answer: ", None),
        ("tls", "no connection: ", None),
        ("closed", "no connection: ", None),
        ("babble", "no answer: ", None),
    ] {
        let failed = api.failed(&bad[path], 1).await;
        for one in &failed {
            let is_fine = one.error.contains(error) && one.status == status && one.state == "retrying";
            assert!(is_fine, "{path}: {one:?}");
        }
    }
    check_excerpts(&api, &bad).await;
    check_pause(&api.failed(&bad["/busy"], 1).await, &receiver);
    let gone = check_gone(&api, &bad["/gone"], &receiver).await;

    // Endpoints that accept events get all of them.
    record(&nodes, &token, CALLS..2 * CALLS).await;
    check::settled(&api, &good.id, 2 * CALLS).await;
    check::settled(&api, &bad["/big"], 2 * CALLS).await;
    check::settled(&api, &bad["/endless"], 2 * CALLS).await;
    assert_eq!(receiver.at("/gone").len(), gone, "an endpoint that is gone got more posts");
    let healthy = http().get(nodes.url(0, "/api/ext/v3/calls")).bearer_auth(&token).send().await.unwrap();
    assert_eq!(healthy.status(), StatusCode::OK);
    for log in nodes.terminate() {
        assert!(!log.contains("panicked") && !log.contains("\"level\":\"ERROR\""), "{log}");
    }
}

/// Checks that of long answers at most 500 bytes from the beginning are stored.
async fn check_excerpts(api: &Api<'_>, bad: &BTreeMap<&str, String>) {
    for (path, beginning) in [("/big", "xxx"), ("/endless", "and so on, ")] {
        check::settled(api, &bad[path], CALLS).await;
        for delivery in api.deliveries(&bad[path]).await {
            let kept = delivery["response_excerpt"].as_str().unwrap();
            assert!(kept.starts_with(beginning) && kept.len() <= 500, "{path}: {delivery}");
        }
    }
    for (path, beginning) in [("/big-failure", "yyy"), ("/endless-failure", "and so on, ")] {
        for failed in api.failed(&bad[path], 1).await {
            assert!(failed.excerpt.as_ref().unwrap().starts_with(beginning), "{failed:?}");
        }
    }
}

/// Checks that an endpoint that asks for a pause gets nothing during the pause but requests that were in flight.
fn check_pause(failed: &[Failed], receiver: &Receiver) {
    let pause: i64 = RETRY_AFTER.parse().unwrap();
    for one in failed {
        assert!(one.pause_seconds.is_some_and(|waited| waited >= pause), "{one:?}");
    }
    let ids = super::counted(receiver.at("/busy").into_iter().map(|one| one.id().to_owned()));
    assert!(ids.values().all(|times| *times == 1), "{ids:?}");
}

async fn check_gone(api: &Api<'_>, id: &str, receiver: &Receiver) -> usize {
    eventually("the endpoint is disabled", async || (api.show(id).await["status"] == "Disabled").then_some(())).await;
    let posts = receiver.at("/gone").len();
    assert!((1..=CALLS).contains(&posts), "{posts} posts");
    let failed = api.failed(id, 1).await;
    assert!(failed.iter().all(|one| one.error.contains("410") && one.state == "parked"), "{failed:?}");
    posts
}
