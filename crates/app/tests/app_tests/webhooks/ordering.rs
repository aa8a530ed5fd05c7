//! Ordered delivery by conversation.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{ConversationId, Id};
use testkit::World;
use testkit::receiver::{Receiver, Reply};

use crate::webhooks::world::Webhooks as _;

testkit::both_databases! {
    async fn events_of_a_conversation_arrive_in_order_when_deliveries_fail(world = World::alone) {
        // A pseudo-random receiver: about a third of the posts fails, by the order of arrival.
        let seen = Arc::new(AtomicU64::new(1));
        let counted = Arc::clone(&seen);
        let receiver = Receiver::answering(move |_| {
            let n = counted.fetch_add(1, Ordering::SeqCst);
            let roll = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            Reply::Status(if roll.is_multiple_of(3) { 500 } else { 200 })
        }).await;
        let (webhook, _) = world.endpoint_of(receiver.url("/"), &["call.status"], |request| request.ordered = Some(true)).await;
        let conversations: Vec<ConversationId> = (0..5).map(|n| Id::seeded(world.now(), n)).collect();
        for round in 0..20 {
            let facts = (0..5).map(|n| world.fact(&format!("{n}-{round:02}"), Some(conversations[n]))).collect();
            world.append(facts).await;
            world.advance(1);
            if [0, 4, 8, 12, 16].contains(&round) {
                world.deliver().await;
            }
        }
        for _ in 0..200 {
            world.deliver().await;
            world.advance(300);
        }
        let deliveries = world.deliveries(webhook.id).await;
        assert_eq!(deliveries.len(), 100);
        let open = deliveries.iter().filter(|one| one.state != domain::delivery::webhooks::DeliveryState::Delivered).count();
        assert_eq!(open, 0, "{deliveries:?}");
        // Of the accepted posts, the rounds rise within each conversation.
        let mut last: HashMap<String, String> = HashMap::new();
        let accepted = receiver.posts().into_iter().enumerate().filter(|(n, _)| {
            let roll = (u64::try_from(*n).unwrap() + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            !roll.is_multiple_of(3)
        });
        for (_, post) in accepted {
            let call = post.json()["call_id"].as_str().unwrap().to_owned();
            let (conversation, round) = call.split_once('-').unwrap();
            let before = last.insert(conversation.to_owned(), round.to_owned());
            assert!(before.is_none_or(|before| before.as_str() < round), "{call} came too late");
        }
        assert!(last.values().all(|round| round == "19"));
    }

    async fn a_delivery_that_is_held_behind_nothing_is_released_by_the_next_lease_holder(world = World::alone) {
        let receiver = Receiver::start().await;
        let (webhook, _) = world.endpoint_of(receiver.url("/"), &["call.status"], |request| request.ordered = Some(true)).await;
        let conversation = Id::seeded(world.now(), 1);
        world.append(vec![world.fact("first", Some(conversation))]).await;
        world.deliver().await;
        // A held delivery with no open delivery before it: its dispatcher ended before it could be released.
        let first = world.deliveries(webhook.id).await.remove(0);
        let held = domain::delivery::webhooks::Delivery {
            state: domain::delivery::webhooks::DeliveryState::Held, attempts: 0, status: None, latency: None, ..first
        };
        let rows = vec![(world.tenant(), held)];
        world.app.db().write((world.tenant(), webhook.id), |tx, (tenant, webhook)| {
            Box::pin(store::delivery::webhooks::deliveries::sweep(tx, *tenant, *webhook, Id::from_bytes([0xff; 12]), 10))
        }).await.unwrap();
        world.app.db().write(rows, |tx, rows| Box::pin(store::delivery::webhooks::deliveries::write(tx, rows))).await.unwrap();
        world.deliver().await;
        let delivery = world.deliveries(webhook.id).await.remove(0);
        assert_eq!(delivery.state, domain::delivery::webhooks::DeliveryState::Delivered);
        world.append(vec![world.fact("second", Some(conversation))]).await;
        world.deliver().await;
        assert_eq!(receiver.posts().len(), 3, "the conversation is free again");
    }
}
