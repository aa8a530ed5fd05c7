//! `kill -9` while the network posts: a body that was answered with 200, even once, has its effects exactly once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use channels::signature;
use domain::{ChannelId, Id};
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use reqwest::{Client, StatusCode};
use store::{Db, Statement, params};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::story::{Outcome, Story};
use super::{APP_SECRET, TENANT, add_channel};
use crate::home::Home;
use crate::server::Server;
use crate::{eventually, http, is_long};

const SEED: u64 = 20_260_424;
const CONNECTIONS: usize = 8;
const KILLS: usize = 4;
const EVENTS: usize = 10_000;
/// Events on PostgreSQL, fewer because each takes several round trips and the lease of a killed server lasts five
/// seconds.
const EVENTS_OVER_A_WIRE: usize = 2_000;

/// The network, which posts a body again until it is answered with 200.
struct Network {
    story: Story,
    channel: ChannelId,
    /// Indices of bodies whose post is not accepted yet.
    waiting: Mutex<VecDeque<usize>>,
    accepted: watch::Sender<usize>,
}

impl Network {
    fn new(story: Story, channel: ChannelId) -> Self {
        let waiting = Mutex::new(story.posts.iter().copied().collect());
        Self { story, channel, waiting, accepted: watch::Sender::new(0) }
    }

    fn start(self: &Arc<Self>, server: &Server) -> JoinSet<()> {
        let url = server.url(&format!("/hooks/whatsapp/{}", self.channel));
        (0..CONNECTIONS).map(|_| self.clone().post_all(url.clone())).collect()
    }

    /// Posts until nothing waits or the server is gone.
    async fn post_all(self: Arc<Self>, url: String) {
        let client = http();
        loop {
            let Some(index) = self.waiting.lock().unwrap().pop_front() else { return };
            if !self.post(&client, &url, index).await {
                self.waiting.lock().unwrap().push_front(index);
                return;
            }
            self.accepted.send_modify(|accepted| *accepted += 1);
        }
    }

    /// Posts a body; returns whether it was accepted.
    async fn post(&self, client: &Client, url: &str, index: usize) -> bool {
        let body = &self.story.bodies[index];
        let signed = signature::sign(APP_SECRET.as_bytes(), body);
        let request = client.post(url).header(signature::HEADER, signed).body(body.clone());
        let Ok(answer) = request.send().await else { return false };
        assert_eq!(answer.status(), StatusCode::OK);
        true
    }

    async fn reached(&self, count: usize) {
        self.accepted.subscribe().wait_for(|accepted| *accepted >= count).await.unwrap();
    }

    fn is_over(&self) -> bool {
        self.waiting.lock().unwrap().is_empty()
    }

    /// The numbers of accepted posts after which a server is killed, in rising order.
    fn moments(&self, kills: usize) -> Vec<usize> {
        let (mut dice, posts) = (SmallRng::seed_from_u64(SEED), self.story.posts.len());
        let mut moments: Vec<usize> = (0..kills).map(|_| dice.random_range(posts / 20..posts * 9 / 10)).collect();
        moments.sort_unstable();
        moments
    }

    /// Waits until the journal is processed, then checks that the database has what the story expects.
    async fn check(&self, home: &Home) {
        let db = home.db();
        eventually("the journal is processed", async || (waiting(&db).await == 0).then_some(())).await;
        let parked = store::messaging::inbound::parked(&db, TENANT, Id::from_bytes([0xff; 12]), 10).await.unwrap();
        assert!(parked.is_empty(), "{:?}", parked.iter().map(|one| &one.reason).collect::<Vec<_>>());
        let found = Outcome::found(&db, TENANT, self.channel).await;
        let differences = self.story.outcome.differences(&found);
        assert!(differences.is_empty(), "{differences:#?}");
    }
}

fn network(home: &Home, events: usize) -> Arc<Network> {
    Arc::new(Network::new(Story::new(SEED, events), add_channel(home, "whatsapp")))
}

async fn survives(home: Home, events: usize) {
    let mut server = Server::start(&home);
    let network = network(&home, events);
    for moment in network.moments(if is_long() { 5 * KILLS } else { KILLS }) {
        let mut posting = network.start(&server);
        tokio::select! {
            () = network.reached(moment) => {}
            ended = posting.join_next() => panic!("a connection ended before the kill: {ended:?}"),
        }
        server.kill_9();
        posting.join_all().await;
        assert!(!network.is_over(), "all was posted before the kill");
        server = Server::start(&home);
    }
    network.start(&server).join_all().await;
    assert_eq!(*network.accepted.borrow(), network.story.posts.len());
    let server = killed_while_processing(&home, server).await;
    network.check(&home).await;
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.remove().await;
}

/// Kills servers while the journal is processed; returns the one that runs in the end.
async fn killed_while_processing(home: &Home, mut server: Server) -> Server {
    let db = home.db();
    let (all, kills) = (waiting(&db).await, if is_long() { 3 } else { 1 });
    for kill in 1..=kills {
        let left = all * (kills + 1 - kill) / (kills + 1);
        eventually("a part of it is processed", async || (waiting(&db).await <= left).then_some(())).await;
        server.kill_9();
        server = Server::start(home);
    }
    server
}

/// The number of journal entries.
async fn waiting(db: &Db) -> i64 {
    static WAITING: Statement =
        Statement::new("test.waiting", "SELECT COUNT(*) FROM inbound_journal WHERE tenant_id = $1");
    db.row(&WAITING, params![TENANT], store::read::<i64>).await.unwrap().unwrap()
}

#[tokio::test]
async fn each_record_of_the_network_has_one_effect_on_sqlite() {
    survives(Home::sqlite(), EVENTS).await;
}

#[tokio::test]
async fn each_record_of_the_network_has_one_effect_on_postgres() {
    let events = if is_long() { EVENTS } else { EVENTS_OVER_A_WIRE };
    survives(Home::postgres().await, events).await;
}

/// Both nodes accept posts for the same channel.
#[tokio::test]
async fn another_node_processes_what_a_killed_one_accepted() {
    let home = Home::postgres().await;
    let (killed, other) = (Server::start(&home), Server::start(&home));
    let network = network(&home, 1_000);
    let posting = [network.start(&killed), network.start(&other)];
    network.reached(network.story.posts.len() / 2).await;
    killed.kill_9();
    for connections in posting {
        connections.join_all().await;
    }
    while !network.is_over() {
        network.start(&other).join_all().await;
    }
    network.check(&home).await;
    let (status, log) = other.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.remove().await;
}
