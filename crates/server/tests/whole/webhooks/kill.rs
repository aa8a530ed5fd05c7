//! `kill -9` while calls are recorded and delivered to a receiver that fails and hangs up: each acknowledged call is
//! delivered, and a repeat has the id of the first post.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use super::SETTINGS;
use super::api::Api;
use super::calls::{Calls, number_of};
use super::check;
use super::receiver::{Received, Receiver, Reply};
use crate::home::Home;
use crate::is_long;
use crate::sending::nodes::Nodes;

const SEED: u64 = 20_260_424;
/// Calls are recorded this far ahead of their deliveries, so that kills hit both.
const AHEAD: usize = 60;

/// About one event in twenty is answered with 500, and one gets no answer; only its first post, because the second
/// retry would come after half a minute.
pub fn unreliable(received: &Received, times: usize) -> Reply {
    let mut dice = SmallRng::seed_from_u64(SEED ^ number_of(&received.call()));
    match dice.random_range(0..20) {
        0 if times == 0 => Reply::status(StatusCode::INTERNAL_SERVER_ERROR),
        1 if times == 0 => Reply::Vanish,
        _ => Reply::status(StatusCode::OK),
    }
}

/// The numbers of accepted events after which the server is killed, in rising order.
fn moments(calls: usize, kills: usize) -> Vec<usize> {
    let mut dice = SmallRng::seed_from_u64(SEED);
    let mut moments: Vec<usize> = (0..kills).map(|_| dice.random_range(calls / 20..calls * 9 / 10)).collect();
    moments.sort_unstable();
    moments
}

/// Kills and replaces the server at these moments. Returns the time from the readiness of each new server to its first
/// delivery.
async fn killed(nodes: &Nodes, receiver: &Receiver, moments: &[usize]) -> Vec<Duration> {
    let mut silences = Vec::new();
    for moment in moments {
        receiver.has_accepted(*moment).await;
        nodes.kill(0);
        nodes.replace(0).await;
        let ready = Instant::now();
        let before = *receiver.accepted().borrow();
        receiver.has_accepted(before + 1).await;
        silences.push(ready.elapsed());
    }
    silences
}

#[expect(clippy::print_stdout, reason = "how much of everything there was")]
async fn survives(home: Home) {
    let (total, kills) = if is_long() { (10_000, 20) } else { (400, 2) };
    let (began, home) = (Instant::now(), Arc::new(home));
    let (nodes, token) = Nodes::first_with(home.clone(), &SETTINGS).await;
    let (api, receiver) = (Api::new(&nodes, &token), Receiver::start(unreliable).await);
    let webhook = api.create(&receiver.url("/hook")).await;
    let calls = Calls::new(&nodes, &token, 0..total);
    let moments = moments(total, kills);
    let (delivered, kills) = (receiver.accepted(), killed(&nodes, &receiver, &moments));
    let ((), silences) = tokio::join!(calls.make_all(delivered, 1, AHEAD), kills);
    receiver.has_accepted(total).await;
    let repeats = check::received(&receiver.at("/hook"), total);
    check::pulled(&api, &receiver.at("/hook"), total).await;
    check::settled(&api, &webhook.id, total).await;
    let refused = receiver.all().iter().filter(|one| !one.is_accepted).count();
    println!(
        "{total} calls, killed after {moments:?}: {} calls recorded again, {refused} refused, {repeats} repeats, delivering again {silences:?} after each \
         restart, {} s",
        calls.again(),
        began.elapsed().as_secs()
    );
    for log in nodes.terminate() {
        assert!(!log.contains("panicked") && !log.contains("\"level\":\"ERROR\""), "{log}");
    }
    Arc::into_inner(home).unwrap().remove().await;
}

#[tokio::test]
async fn every_acknowledged_call_is_delivered_on_sqlite() {
    survives(Home::sqlite()).await;
}

#[tokio::test]
async fn every_acknowledged_call_is_delivered_on_postgres() {
    survives(Home::postgres().await).await;
}
