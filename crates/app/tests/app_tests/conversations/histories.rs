//! Histories of conversations.

use app::Error;
use app::inbox::conversations::PageRequest;
use domain::Id;
use domain::messaging::messages::{
    HistoryKind, Message, MessageDirection, MessageOperator, MessageSource, MessageState, local_id,
};
use testkit::World;

use crate::conversations::world::{ADA, BOB, Talks as _, message};

testkit::both_databases! {
    async fn the_newest_first_in_pages(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        for n in 0..7 {
            world.said(&support, &ada, &format!("message {n}")).await;
        }
        let mut all = Vec::new();
        for number in 1..=3 {
            let page = PageRequest::new(number, 3).unwrap();
            let history = world.app.inbox().conversations().history(&world.me(), ADA.into(), page, true).await.unwrap();
            assert_eq!(history.total, Some(7));
            all.extend(history.entries.into_iter().map(|entry| entry.message.text.unwrap()));
        }
        assert_eq!(all, (0..7).rev().map(|n| format!("message {n}")).collect::<Vec<_>>());
    }

    async fn a_message_is_found_by_its_local_id(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        world.open_channel("Sales", "14155550101").await;
        let (ada, bob) = (world.person(ADA, "Ada").await, world.person(BOB, "Bob").await);
        let with_ada = world.said(&support, &ada, "hi").await;
        let with_bob = world.said(&support, &bob, "hi").await;
        let now = world.now();
        let chosen = |of, id| Message {
            local_id: Some("order-7".to_owned()),
            ..Message { id, ..message(of, MessageDirection::Outbound, MessageState::Queued, now) }
        };
        let first = world.waits(chosen(&with_ada, Id::new(now))).await;
        world.tick();
        let second = world.waits(chosen(&with_bob, Id::new(world.now()))).await;
        let ours = world.waits(message(&with_ada, MessageDirection::Outbound, MessageState::Queued, world.now())).await;
        for (number, local, expected) in [
            (ADA, "order-7", first),
            (BOB, "order-7", second),
            ("+49 151 23456789", "order-7", second),
            ("14155550100", "order-7", second),
            (ADA, &local_id::default_for(ours), ours),
            ("14155550100", &local_id::default_for(ours), ours),
        ] {
            let (entry, conversation) = world.app.inbox().conversations().message(&world.me(), number, local).await.unwrap();
            assert_eq!(entry.message.id, expected, "{number} {local}");
            assert_eq!(conversation.unwrap().id, entry.message.conversation_id.unwrap());
        }
        // A message with a chosen local id has no generated one, and messages of other people or channels are not
        // found.
        for (number, local) in [(ADA, &local_id::default_for(first)), (BOB, &local_id::default_for(ours)), ("14155550101", &"order-7".to_owned()), ("x", &"order-7".to_owned())] {
            let answer = world.app.inbox().conversations().message(&world.me(), number, local).await;
            assert!(matches!(answer, Err(Error::NotFound(app::Thing::Message))), "{number} {local}");
        }
    }

    async fn a_history_contains_tickets_and_broadcasts(world = World::new) {
        let support = world.open_channel("Support", "14155550100").await;
        let ada = world.person(ADA, "Ada").await;
        let talk = world.said(&support, &ada, "hi").await;
        world.status(ADA, domain::messaging::conversations::ConversationStatus::Pending).await;
        world.tick();
        let broadcast = Message {
            event: HistoryKind::Broadcast,
            kind: "template".to_owned(),
            broadcast_id: Some(Id::new(world.now())),
            text: Some("Sale!".to_owned()),
            operator: Some(MessageOperator { email: Some("grace@example.com".to_owned()), source: MessageSource::Api, is_bot: false }),
            ..message(&talk, MessageDirection::Outbound, MessageState::Queued, world.now())
        };
        world.waits(broadcast).await;
        world.operator("grace@example.com").await;
        let entries = world.history(ADA).await;
        let stream: Vec<_> = entries.iter().map(|entry| (entry.message.event, entry.operator_name.as_deref())).collect();
        assert_eq!(stream, [(HistoryKind::Broadcast, Some("grace")), (HistoryKind::Ticket, None), (HistoryKind::Message, None)]);
    }
}
