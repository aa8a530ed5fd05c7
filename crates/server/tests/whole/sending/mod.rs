//! Sending with the real binary under failures: the network accepts messages and cuts connections, servers are killed,
//! the database closes connections, clients repeat requests. Each message is sent once, or its status is `unknown`.

mod callers;
mod check;
pub mod nodes;
mod story;
mod world;

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use store::{Db, Engine};

use crate::home::Home;
use crate::is_long;
use callers::Callers;
use nodes::Nodes;
use story::{Amid, Event, Scale, Story};

const CONNECTIONS: usize = 4;
const SEEDS: u64 = 20;
/// Variable with the one seed to run.
const SEED: &str = "SWITCHBOARD_TEST_SEED";

fn seeds() -> Vec<u64> {
    match std::env::var(SEED) {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) if is_long() => (1..=SEEDS).collect(),
        Err(_) => vec![1],
    }
}

/// Size of the stories. Only PostgreSQL has connections that can be cut.
fn scale(engine: Engine, nodes: usize) -> Scale {
    let (people, kills, cuts) = if is_long() { (10_000, 5, 3) } else { (600, 2, 1) };
    Scale { people, nodes, kills, cuts: if engine == Engine::Postgres { cuts } else { 0 } }
}

async fn survives(engine: Engine, nodes: usize) {
    for seed in seeds() {
        let home = Arc::new(match engine {
            Engine::Sqlite => Home::sqlite(),
            Engine::Postgres => Home::postgres().await,
        });
        run_story(&home, &Story::new(seed, scale(engine, nodes)), nodes).await;
        Arc::into_inner(home).unwrap().remove().await;
    }
}

/// A story on a database that the caller removes.
pub async fn survives_at(home: &Arc<Home>, people: usize, nodes: usize) {
    run_story(home, &Story::new(1, Scale { people, nodes, kills: 2, cuts: 1 }), nodes).await;
}

#[expect(clippy::print_stdout, reason = "how much of everything there was")]
async fn run_story(home: &Arc<Home>, story: &Story, count: usize) {
    let began = Instant::now();
    let (nodes, token) = Nodes::first(home.clone()).await;
    for _ in 1..count {
        nodes.add().await;
    }
    let db = home.db();
    world::settle(&db, story.people).await;
    world::make_template(&nodes, &token).await;
    let callers = Callers::new(story, &nodes, &token, &db);
    let calling = join_all((0..CONNECTIONS).map(|_| callers.call_all()));
    let (_, hits) = tokio::join!(calling, play(&callers, &db));
    world::come_to_rest(&db, story).await;
    let figures = check::check(&callers).await;
    let (again, replayed) = (*callers.again.lock().unwrap(), *callers.replayed.lock().unwrap());
    println!(
        "seed {}: {} people in {} calls, {count} nodes: {figures:?}, {hits:?}, {again} calls asked again, {replayed} answered \
         from before, {} s",
        story.seed,
        story.people,
        story.calls.len(),
        began.elapsed().as_secs()
    );
    // The two kills of a short story may both come while no message is in flight.
    assert!(
        hits.in_flight > 0 || hits.kills <= 2,
        "seed {}: no kill came while messages were on their way",
        story.seed
    );
    for log in nodes.terminate() {
        assert!(!log.contains("panicked"), "seed {}: {log}", story.seed);
    }
}

/// Work that the kills interrupted.
#[derive(Debug, Default, Clone, Copy)]
struct Hits {
    kills: usize,
    /// Messages in flight.
    in_flight: i64,
    /// Calls that took effect without an answer.
    unheard: usize,
}

/// Causes the story's events at their times; returns what the kills interrupted.
async fn play(callers: &Callers<'_>, db: &Db) -> Hits {
    let mut hits = Hits::default();
    for (place, (after, event)) in callers.story.events.iter().enumerate() {
        callers.acknowledged(*after).await;
        match event {
            Event::Fault { kind, person, count } => world::add_fault(db, place, kind, *person, *count).await,
            Event::Cut => {
                callers.reached(Amid::Sending).await;
                world::cut(db).await;
            }
            Event::Kill { node, amid } => {
                callers.reached(*amid).await;
                callers.nodes.kill(*node);
                hits.kills += 1;
                hits.in_flight += world::in_flight(db).await;
                hits.unheard += callers.unheard().await;
                callers.nodes.replace(*node).await;
            }
        }
    }
    callers.acknowledged(callers.story.people).await;
    hits
}

#[tokio::test]
async fn each_message_leaves_once_on_sqlite() {
    survives(Engine::Sqlite, 1).await;
}

#[tokio::test]
async fn each_message_leaves_once_on_postgres() {
    survives(Engine::Postgres, 1).await;
}

#[tokio::test]
async fn each_message_leaves_once_on_three_nodes() {
    survives(Engine::Postgres, 3).await;
}
