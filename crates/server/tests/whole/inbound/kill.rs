//! `kill -9` while the network posts: a body that was answered with 200 at least once has exactly one effect.

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
/// On PostgreSQL: each event takes several round trips, and the lease of a killed server lasts five seconds.
const EVENTS_OVER_A_WIRE: usize = 2_000;

/// The network: posts a body again until it is accepted.
struct Storm {
    story: Story,
    channel: ChannelId,
    /// Posts that are not accepted yet.
    waiting: Mutex<VecDeque<usize>>,
    taken: watch::Sender<usize>,
}

impl Storm {
    fn new(story: Story, channel: ChannelId) -> Self {
        let waiting = Mutex::new(story.posts.iter().copied().collect());
        Self { story, channel, waiting, taken: watch::Sender::new(0) }
    }

    fn start(self: &Arc<Self>, server: &Server) -> JoinSet<()> {
        let url = server.url(&format!("/hooks/whatsapp/{}", self.channel));
        (0..CONNECTIONS).map(|_| self.clone().post_all(url.clone())).collect()
    }

    /// Posts until nothing waits or the server is gone.
    async fn post_all(self: Arc<Self>, url: String) {
        let client = http();
        loop {
            let Some(place) = self.waiting.lock().unwrap().pop_front() else { return };
            if !self.post(&client, &url, place).await {
                self.waiting.lock().unwrap().push_front(place);
                return;
            }
            self.taken.send_modify(|taken| *taken += 1);
        }
    }

    /// True when the server answered 200.
    async fn post(&self, client: &Client, url: &str, place: usize) -> bool {
        let body = &self.story.bodies[place];
        let signed = signature::sign(APP_SECRET.as_bytes(), body);
        let request = client.post(url).header(signature::HEADER, signed).body(body.clone());
        let Ok(answer) = request.send().await else { return false };
        assert_eq!(answer.status(), StatusCode::OK);
        true
    }

    async fn reached(&self, count: usize) {
        self.taken.subscribe().wait_for(|taken| *taken >= count).await.unwrap();
    }

    fn is_over(&self) -> bool {
        self.waiting.lock().unwrap().is_empty()
    }

    /// Random number of posts after which a server is killed.
    fn moments(&self, kills: usize) -> Vec<usize> {
        let (mut dice, posts) = (SmallRng::seed_from_u64(SEED), self.story.posts.len());
        let mut moments: Vec<usize> = (0..kills).map(|_| dice.random_range(posts / 20..posts * 9 / 10)).collect();
        moments.sort_unstable();
        moments
    }

    /// Waits until the journal is empty; the database must equal the story's outcome.
    async fn check(&self, home: &Home) {
        let db = home.db();
        eventually("the journal is worked off", async || (waiting(&db).await == 0).then_some(())).await;
        let parked = store::inbound::parked(&db, TENANT, Id::from_bytes([0xff; 12]), 10).await.unwrap();
        assert!(parked.is_empty(), "{:?}", parked.iter().map(|one| &one.reason).collect::<Vec<_>>());
        let found = Outcome::found(&db, TENANT, self.channel).await;
        let differences = self.story.outcome.differences(&found);
        assert!(differences.is_empty(), "{differences:#?}");
    }
}

fn storm(home: &Home, events: usize) -> Arc<Storm> {
    Arc::new(Storm::new(Story::new(SEED, events), add_channel(home, "whatsapp")))
}

async fn survives(home: Home, events: usize) {
    let mut server = Server::start(&home);
    let storm = storm(&home, events);
    for moment in storm.moments(if is_long() { 5 * KILLS } else { KILLS }) {
        let mut posting = storm.start(&server);
        tokio::select! {
            () = storm.reached(moment) => {}
            ended = posting.join_next() => panic!("a connection ended before the kill: {ended:?}"),
        }
        server.kill_9();
        posting.join_all().await;
        assert!(!storm.is_over(), "the storm was over before the kill");
        server = Server::start(&home);
    }
    storm.start(&server).join_all().await;
    assert_eq!(*storm.taken.borrow(), storm.story.posts.len());
    let server = killed_at_work(&home, server).await;
    storm.check(&home).await;
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.remove().await;
}

/// Kills repeatedly while the journal is applied, if it is long enough.
async fn killed_at_work(home: &Home, mut server: Server) -> Server {
    let db = home.db();
    let (all, kills) = (waiting(&db).await, if is_long() { 3 } else { 1 });
    for kill in 1..=kills {
        let left = all * (kills + 1 - kill) / (kills + 1);
        eventually("some of it is worked off", async || (waiting(&db).await <= left).then_some(())).await;
        server.kill_9();
        server = Server::start(home);
    }
    server
}

/// Number of bodies in the journal.
async fn waiting(db: &Db) -> i64 {
    static WAITING: Statement =
        Statement::new("test.waiting", "SELECT COUNT(*) FROM inbound_journal WHERE tenant_id = $1");
    db.row(&WAITING, params![TENANT], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn what_the_network_posted_has_one_effect_on_sqlite() {
    survives(Home::sqlite(), EVENTS).await;
}

#[tokio::test]
async fn what_the_network_posted_has_one_effect_on_postgres() {
    let events = if is_long() { EVENTS } else { EVENTS_OVER_A_WIRE };
    survives(Home::postgres().await, events).await;
}

/// Both nodes accept posts for the same channel.
#[tokio::test]
async fn another_node_works_off_what_a_killed_one_took() {
    let home = Home::postgres().await;
    let (killed, other) = (Server::start(&home), Server::start(&home));
    let storm = storm(&home, 1_000);
    let posting = [storm.start(&killed), storm.start(&other)];
    storm.reached(storm.story.posts.len() / 2).await;
    killed.kill_9();
    for connections in posting {
        connections.join_all().await;
    }
    while !storm.is_over() {
        storm.start(&other).join_all().await;
    }
    storm.check(&home).await;
    let (status, log) = other.terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
    home.remove().await;
}
