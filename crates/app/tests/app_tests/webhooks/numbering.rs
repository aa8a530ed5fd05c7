//! The log: numbers without gaps from one or several nodes, and pages without gaps.

use std::collections::BTreeSet;

use domain::delivery::events::{EventType, EventTypes};
use testkit::{Engine, World};

use crate::webhooks::world::Webhooks as _;

/// SQLite has one node.
#[tokio::test]
async fn a_node_leaves_a_log_alone_that_another_node_leads() {
    let world = World::alone(Engine::Postgres).await;
    world.append_call("first").await;
    world.number().await;
    let other = world.another_node();
    let append = async |call_id: &str| {
        let facts = vec![world.fact(call_id, None)];
        let append = other.db().write((world.tenant(), facts), |tx, (tenant, facts)| {
            Box::pin(store::delivery::events::append(tx, *tenant, facts))
        });
        append.await.unwrap();
    };
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
        let nodes: Vec<app::App> = (0..3).map(|_| world.another_node()).collect();
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
