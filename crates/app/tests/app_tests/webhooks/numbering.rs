//! The log: numbers without gaps from one or several nodes, and pages without gaps.

use std::collections::BTreeSet;

use app::App;
use app::base::news::NewsKind;
use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::{EventType, EventTypes};
use futures_util::FutureExt as _;
use testkit::{Engine, World};

use crate::webhooks::world::Webhooks as _;

/// SQLite has one node.
#[tokio::test]
async fn a_node_leaves_a_log_alone_that_another_node_leads() {
    let world = World::alone(Engine::Postgres).await;
    world.append_call("first").await;
    world.number().await;
    let other = world.another_node();
    let append = async |call_id: &str| append_at(&other, &world, call_id).await;
    append("second").await;
    other.delivery().events().number_own().await.unwrap();
    append("third").await;
    let before = other.db().traffic();
    other.delivery().events().number_own().await.unwrap();
    assert_eq!(other.db().traffic(), before, "it knows that another node leads");
    world.number().await;
    let last = async || world.app.delivery().events().pull(&world.me(), 0, EventTypes::all(), 10).await.unwrap().last;
    assert_eq!(last().await, 3);
    // The lease of the leader has ended.
    world.advance(10);
    append("fourth").await;
    other.delivery().events().number_own().await.unwrap();
    assert_eq!(last().await, 4);
}

async fn append_at(node: &App, world: &World, call_id: &str) {
    let facts = vec![world.fact(call_id, None)];
    let append = node.db().write((world.tenant(), facts), |tx, (tenant, facts)| {
        Box::pin(store::delivery::events::append(tx, *tenant, facts))
    });
    append.await.unwrap();
}

/// Whether news have arrived at a node: of appended facts, of numbered ones, and of presences.
fn heard(node: &App) -> [bool; 3] {
    [NewsKind::Appended, NewsKind::Numbered, NewsKind::Presence]
        .map(|kind| node.news_arrived(kind).now_or_never().is_some())
}

/// Nodes exchange news on a distributed database only, but the epochs of news are the same on any PostgreSQL.
#[tokio::test]
async fn a_node_hears_what_another_one_has_done_and_not_what_it_has_done_itself() {
    let world = World::alone(Engine::Postgres).await;
    let (one, other) = (&world.app, world.another_node());
    let exchange = async || {
        for node in [one, &other, one, &other] {
            node.exchange_news().await.unwrap();
        }
    };
    exchange().await;
    assert_eq!(heard(one), [true; 3], "before the first exchange there may be anything");
    assert_eq!(heard(&other), [true; 3]);
    exchange().await;
    assert_eq!((heard(one), heard(&other)), ([false; 3], [false; 3]));

    world.append_call("first").await;
    one.delivery().events().number_own().await.unwrap();
    exchange().await;
    assert_eq!((heard(one), heard(&other)), ([false; 3], [false, true, false]));
    // The second time, the other node knows that the log is led elsewhere, and does not try.
    for call_id in ["second", "third"] {
        append_at(&other, &world, call_id).await;
        other.delivery().events().number_own().await.unwrap();
        exchange().await;
        assert_eq!((heard(one), heard(&other)), ([true, false, false], [false; 3]));
    }
    // Both have news at the same time.
    one.delivery().events().number().await.unwrap();
    world.advance(10);
    append_at(&other, &world, "fourth").await;
    other.delivery().events().number_own().await.unwrap();
    exchange().await;
    assert_eq!((heard(one), heard(&other)), ([false, true, false], [false, true, false]));
}

/// The time between two looks is bounded by polls only on a database that is not distributed.
#[tokio::test]
async fn a_node_finds_all_logs_that_were_numbered_since_its_last_look() {
    let world = World::alone(Engine::Postgres).await;
    let other = world.another_node();
    other.delivery().events().refresh_log_positions().await.unwrap();
    world.append_call("first").await;
    world.number().await;
    world.advance(30);
    let before = *other.delivery().events().moves().borrow();
    other.delivery().events().refresh_log_positions().await.unwrap();
    assert_eq!(*other.delivery().events().moves().borrow(), before + 1);
}

testkit::both_databases! {
    async fn numbers_have_no_gaps_and_follow_the_order_of_time(world = World::alone) {
        for call in 0..20 {
            world.append_call(&format!("call-{call}")).await;
            world.advance(1);
            if [0, 8, 16].contains(&call) {
                world.number().await;
            }
        }
        let log = world.events(EventTypes::all()).await;
        assert_eq!(log.iter().map(|event| event.number).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
        let calls: Vec<String> = log.iter().map(|event| call_of(event.payload())).collect();
        assert_eq!(calls, (0..20).map(|call| format!("call-{call}")).collect::<Vec<_>>());
        assert_eq!(log.iter().map(|event| event.id).collect::<BTreeSet<_>>().len(), 20);
    }

    async fn two_nodes_that_number_at_once_leave_no_gap_and_repeat_nothing(world = World::alone) {
        let nodes: Vec<App> = (0..3).map(|_| world.another_node()).collect();
        let tenant = world.tenant();
        let numbering: Vec<_> = nodes
            .iter()
            .map(|node| {
                let app = node.clone();
                tokio::spawn(async move {
                    for _ in 0..100 {
                        app.delivery().events().number_log(tenant).await.unwrap();
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        world.calls(0..60).await;
        for node in numbering {
            node.await.unwrap();
        }
        // The lease of the last leader may not have ended yet.
        world.advance(10);
        let log = world.events(EventTypes::all()).await;
        assert_eq!(log.iter().map(|event| event.number).collect::<Vec<_>>(), (1..=60).collect::<Vec<_>>());
        let calls: BTreeSet<String> = log.iter().map(|event| call_of(event.payload())).collect();
        assert_eq!(calls.len(), 60);
    }

    async fn a_fact_of_a_transaction_that_is_rolled_back_is_never_numbered(world = World::alone) {
        let facts = vec![world.fact("undone", None)];
        let undone = world.app.db().write((world.tenant(), facts), |tx, (tenant, facts)| {
            Box::pin(async move {
                store::delivery::events::append(tx, *tenant, facts).await?;
                Err::<(), _>(store::Error::Unavailable("undone".to_owned()))
            })
        });
        assert!(undone.await.is_err());
        world.append_call("done").await;
        let log = world.events(EventTypes::all()).await;
        assert_eq!(log.iter().map(|event| call_of(event.payload())).collect::<Vec<_>>(), ["done"]);
    }

    async fn a_page_begins_where_the_one_before_ended_for_all_types_and_for_some(world = World::alone) {
        world.calls(0..50).await;
        world.number().await;
        let reviewed: EventTypes = [EventType::TemplateReviewed].into_iter().collect();
        for (types, expected) in [(EventTypes::all(), 50), (reviewed, 0)] {
            let (mut after, mut found) = (0, Vec::new());
            loop {
                let page = world.app.delivery().events().pull(&world.me(), after, types, 7).await.unwrap();
                assert!(page.events.len() <= 7 && page.last == 50);
                found.extend(page.events);
                if page.after == page.last {
                    break;
                }
                assert!(page.after > after, "a page moves on");
                after = page.after;
            }
            assert_eq!(found.len(), expected);
        }
    }

    async fn old_events_are_dropped_and_a_reader_that_missed_them_gets_an_error(world = World::alone) {
        world.calls(0..10).await;
        world.number().await;
        world.advance(31 * 86_400);
        world.calls(10..13).await;
        world.number().await;
        world.app.delivery().events().sweep().await.unwrap();
        assert_eq!(world.app.delivery().events().kept_after(&world.me()).await.unwrap(), 0, "no consumer has seen them");
        world.app.delivery().consumers().process_behind(ConsumerGroup::Projections).await.unwrap();
        world.app.delivery().events().sweep().await.unwrap();
        let missed = world.app.delivery().events().pull(&world.me(), 3, EventTypes::all(), 100).await.unwrap_err();
        assert!(matches!(&missed, app::Error::Refused { cause: app::Cause::EventsDropped, message, .. } if message.contains("after=10")), "{missed:?}");
        let page = world.app.delivery().events().pull(&world.me(), 10, EventTypes::all(), 100).await.unwrap();
        assert_eq!(page.events.iter().map(|event| event.number).collect::<Vec<_>>(), [11, 12, 13]);
    }
}

fn call_of(payload: &str) -> String {
    let payload: serde_json::Value = serde_json::from_str(payload).unwrap();
    payload["call_id"].as_str().unwrap().to_owned()
}
