//! Unreadable bodies, failing records and competing nodes: nothing is lost, nothing happens twice, and no other record
//! waits.

use serde_json::json;
use store::{Engine, Statement, params};

use crate::inbound::world::{Inbound as _, messages, support, text_message};

const AT: i64 = 1_776_000_000;

testkit::both_databases! {
    async fn an_unreadable_body_or_record_is_parked_and_can_be_retried(world = support) {
        world.post_hook(b"not json at all".to_vec()).await.unwrap();
        world.journal(&messages(&[text_message("wamid.1", "one", AT), json!({"id": 7}), text_message("wamid.2", "two", AT)])).await;
        world.process_inbound().await;
        assert_eq!(world.messages().await.len(), 2);
        let parked = world.parked().await;
        assert_eq!(parked.len(), 2);
        assert!(parked.iter().any(|one| one.body == b"not json at all"), "{parked:?}");
        assert!(parked.iter().any(|one| one.reason.contains("messages[1]")), "{parked:?}");
        world.app.messaging().inbound().retry(&app::Command(world.tenant()), parked[0].id).await.unwrap();
        world.process_inbound().await;
        assert_eq!(world.parked().await.len(), 2, "it is parked again");
    }

    async fn a_body_with_very_many_records_is_processed_in_parts(world = support) {
        let many: Vec<_> = (0..600).map(|n| text_message(&format!("wamid.{n:03}"), "hi", AT + n)).collect();
        world.journal(&messages(&many)).await;
        world.test.clock.advance(std::time::Duration::from_micros(1));
        world.journal(&messages(&[text_message("wamid.last", "bye", AT + 1000)])).await;
        world.process_inbound().await;
        let arrived = world.messages().await;
        assert_eq!(arrived.len(), 601);
        let last = arrived.iter().find(|one| one.network_id.as_deref() == Some("wamid.last")).unwrap();
        assert!(arrived.iter().all(|one| one.id <= last.id), "a later body is processed later");
    }

    /// Fewer entries than one read returns, with more records than one transaction applies.
    async fn many_records_in_few_bodies_do_not_wait_for_the_next_round(world = support) {
        for body in 0..3_i64 {
            let some: Vec<_> = (0..100).map(|n| text_message(&format!("wamid.{body}-{n}"), "hi", AT + n)).collect();
            world.journal(&messages(&some)).await;
        }
        world.process_inbound().await;
        assert_eq!(world.messages().await.len(), 300);
    }

    async fn entries_of_a_removed_channel_are_parked(world = support) {
        world.journal(&messages(&[text_message("wamid.1", "hi", AT)])).await;
        world.app.messaging().channels().remove(&app::Command(world.tenant()), "Support").await.unwrap();
        world.process_inbound().await;
        let parked = world.parked().await;
        assert!(parked.len() == 1 && parked[0].reason.contains("removed"), "{parked:?}");
        assert!(world.messages().await.is_empty());
    }

    async fn two_nodes_process_together_and_nothing_happens_twice(world = support) {
        for number in 0..60 {
            world.journal(&messages(&[text_message(&format!("wamid.{number:03}"), "hi", AT + number)])).await;
        }
        let other = world.another_node();
        let (one, two) = tokio::join!(world.app.messaging().process_inbound(&|| false), other.messaging().process_inbound(&|| false));
        one.unwrap();
        two.unwrap();
        world.process_inbound().await;
        // The node without the lease skips the channel until the lease of the holder has ended.
        world.advance(6);
        world.process_inbound().await;
        assert_eq!(world.messages().await.len(), 60);
        assert!(store::messaging::inbound::waiting(&world.test.db).await.unwrap().iter().all(|(tenant, _)| *tenant != world.tenant()));
    }
}

/// A record that the database itself refuses: all other records of its body and of its batch are applied.
#[tokio::test]
async fn a_record_that_fails_is_alone_with_its_failure() {
    static BOMB: Statement = Statement::new(
        "test.bomb",
        "CREATE TRIGGER bomb BEFORE INSERT ON messages WHEN NEW.text = 'bomb' BEGIN SELECT RAISE(ABORT, 'bomb'); END",
    );
    let world = support(Engine::Sqlite).await;
    world
        .test
        .db
        .write((), |tx, ()| Box::pin(async move { tx.execute(&BOMB, params![]).await.map(drop) }))
        .await
        .unwrap();
    world.journal(&messages(&[text_message("wamid.1", "before", AT)])).await;
    let many = [
        text_message("wamid.2", "beside", AT),
        text_message("wamid.3", "bomb", AT),
        text_message("wamid.4", "beside", AT),
    ];
    world.journal(&messages(&many)).await;
    world.journal(&messages(&[text_message("wamid.5", "after", AT)])).await;
    world.process_inbound().await;
    let arrived: Vec<String> = world.messages().await.into_iter().filter_map(|one| one.network_id).collect();
    assert_eq!(arrived, ["wamid.1", "wamid.2", "wamid.4", "wamid.5"]);
    let parked = world.parked().await;
    assert!(parked.len() == 1 && parked[0].reason.contains("bomb"), "{parked:?}");
}
