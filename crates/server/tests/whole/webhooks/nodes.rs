//! Three nodes share many endpoints, and one is killed: the others take over its deliveries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use super::api::{Api, Webhook};
use super::calls::{Calls, record};
use super::check;
use super::kill::unreliable;
use super::receiver::{Received, Receiver};
use super::{METRICS_TOKEN, SETTINGS};
use crate::home::Home;
use crate::sending::nodes::Nodes;
use crate::{eventually, http, is_long};

const SEED: u64 = 20_260_424;
/// Number of endpoints: enough that one node hardly ever owns all of them.
const ENDPOINTS: usize = 12;
/// Calls are recorded this far ahead of their deliveries, so that the kill hits both.
const AHEAD: usize = 60;

fn path(endpoint: usize) -> String {
    format!("/hook/{endpoint}")
}

/// How many deliveries the node with this metrics URL has recorded.
async fn delivered_by(url: String) -> u64 {
    let answer = http().get(url).bearer_auth(METRICS_TOKEN).send().await.unwrap();
    let text = answer.text().await.unwrap();
    let counts = text.lines().filter_map(|line| line.strip_prefix("switchboard_webhook_deliveries_total{"));
    let numbers = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    numbers.sum()
}

async fn shares(nodes: &Nodes, count: usize) -> Vec<u64> {
    let mut shares = Vec::new();
    for node in 0..count {
        shares.push(delivered_by(nodes.url(node, "/metrics")).await);
    }
    shares
}

/// Records calls until more than one node delivers, which shows that the nodes have found each other. Returns the
/// number of calls.
async fn warm_up(nodes: &Nodes, token: &str, receiver: &Receiver) -> usize {
    let mut calls = 0;
    eventually("several nodes deliver", async || {
        record(nodes, token, calls..calls + 1).await;
        calls += 1;
        receiver.has_accepted(calls * ENDPOINTS).await;
        let working = shares(nodes, 3).await.into_iter().filter(|share| *share > 0).count();
        (working > 1).then_some(calls)
    })
    .await
}

/// The longest time between two of these posts.
fn longest_silence(posts: &[Received]) -> Duration {
    let pairs = posts.iter().zip(posts.iter().skip(1));
    pairs.map(|(before, after)| after.at.duration_since(before.at)).max().unwrap_or_default()
}

/// Kills a node when `after` calls are delivered: the one that has most deliveries at half of that. Returns the
/// deliveries of each node at that half, and the killed node.
async fn killed(nodes: &Nodes, receiver: &Receiver, after: usize) -> (Vec<u64>, usize) {
    receiver.has_accepted(after / 2 * ENDPOINTS).await;
    let before = shares(nodes, 3).await;
    let busiest = (0..3).max_by_key(|node| before[*node]).unwrap();
    receiver.has_accepted(after * ENDPOINTS).await;
    nodes.kill(busiest);
    nodes.forget(busiest);
    (before, busiest)
}

/// Checks all endpoints and the log; returns the number of repeats.
async fn check(api: &Api<'_>, receiver: &Receiver, webhooks: &[Webhook], calls: usize) -> usize {
    let mut repeats = 0;
    for (endpoint, webhook) in webhooks.iter().enumerate() {
        repeats += check::received(&receiver.at(&path(endpoint)), calls);
        check::settled(api, &webhook.id, calls).await;
    }
    check::pulled(api, &receiver.at(&path(0)), calls).await;
    repeats
}

#[tokio::test]
async fn other_nodes_take_over_the_deliveries_of_a_killed_one() {
    let total = if is_long() { 2_000 } else { 200 };
    let (began, home) = (Instant::now(), Arc::new(Home::postgres().await));
    let (nodes, token) = Nodes::first_with(home.clone(), &SETTINGS).await;
    nodes.add().await;
    nodes.add().await;
    let (api, receiver) = (Api::new(&nodes, &token), Receiver::start(unreliable).await);
    let mut webhooks = Vec::<Webhook>::new();
    for endpoint in 0..ENDPOINTS {
        webhooks.push(api.create(&receiver.url(&path(endpoint))).await);
    }
    let first = warm_up(&nodes, &token, &receiver).await;
    let calls = Calls::new(&nodes, &token, first..first + total);
    let moment = first + SmallRng::seed_from_u64(SEED).random_range(total / 4..total * 3 / 4);
    let (delivered, killing) = (receiver.accepted(), killed(&nodes, &receiver, moment));
    let ((), (before, killed)) = tokio::join!(calls.make_all(delivered, ENDPOINTS, AHEAD), killing);
    let all = first + total;
    receiver.has_accepted(all * ENDPOINTS).await;
    let repeats = check(&api, &receiver, &webhooks, all).await;
    let silence = (0..ENDPOINTS).map(|endpoint| longest_silence(&receiver.at(&path(endpoint)))).max().unwrap();
    println!(
        "{all} calls to {ENDPOINTS} endpoints; at half way nodes had delivered {before:?}, in the end those left {:?}; node \
         {killed} killed after {moment}: {} calls recorded again, {} refused, {repeats} repeats, longest silence \
         {silence:?}, {} s",
        shares(&nodes, 2).await,
        calls.again(),
        receiver.all().iter().filter(|one| !one.is_accepted).count(),
        began.elapsed().as_secs()
    );
    for log in nodes.terminate() {
        assert!(!log.contains("panicked") && !log.contains("\"level\":\"ERROR\""), "{log}");
    }
    Arc::into_inner(home).unwrap().remove().await;
}
