//! A receiver is down for two hours, and loses and repeats posts before and after that. In the end it has the state of
//! the server.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use domain::delivery::events::EventTypes;
use serde_json::Value;
use testkit::World;
use testkit::receiver::{Receiver, Reply};

use crate::webhooks::world::Webhooks as _;

/// What a consumer rebuilds: the last status of each call, by call id.
type State = BTreeMap<String, String>;

testkit::both_databases! {
    async fn a_receiver_that_was_down_for_two_hours_catches_up(world = World::alone) {
        let (down, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let state: Arc<Mutex<BTreeMap<String, Value>>> = Arc::default();
        let (is_down, counted, kept) = (Arc::clone(&down), Arc::clone(&count), Arc::clone(&state));
        let receiver = Receiver::answering(move |post| {
            let n = counted.fetch_add(1, Ordering::SeqCst);
            let roll = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % 100;
            match roll {
                _ if is_down.load(Ordering::SeqCst) => Reply::Status(503),
                // The receiver fails before it has stored the post.
                0..5 => Reply::Status(500),
                // The receiver stores the post but answers with a failure, so the server posts it again.
                5..10 => {
                    kept.lock().unwrap().insert(post.id().to_owned(), post.json());
                    Reply::Status(500)
                }
                _ => {
                    kept.lock().unwrap().insert(post.id().to_owned(), post.json());
                    Reply::Status(200)
                }
            }
        }).await;
        world.endpoint(receiver.url("/")).await;
        for minute in 0..150 {
            down.store((15..135).contains(&minute), Ordering::SeqCst);
            world.calls(minute * 3..minute * 3 + 3).await;
            world.deliver().await;
            world.advance(60);
        }
        for _ in 0..60 {
            world.deliver().await;
            world.advance(300);
        }
        let received: State = state.lock().unwrap().values().map(entry).collect();
        let log = world.events(EventTypes::all()).await;
        let known: State = log.iter().map(|event| entry(&serde_json::from_str(event.payload()).unwrap())).collect();
        assert_eq!(received.len(), 450);
        assert_eq!(received, known);
        let ids: Vec<String> = log.iter().map(|event| event.id.to_string()).collect();
        assert!(state.lock().unwrap().keys().all(|id| ids.contains(id)), "repeats have the id of the first");
        // The numbers alone prove to a reader of the log that nothing is missing.
        let page = world.app.delivery().events().pull(&world.me(), 0, EventTypes::all(), 1000).await.unwrap();
        assert!(page.events.iter().map(|event| event.number).eq(1..=page.last));
    }
}

fn entry(payload: &Value) -> (String, String) {
    (payload["call_id"].as_str().unwrap().to_owned(), payload["metadata"]["status"].as_str().unwrap().to_owned())
}
