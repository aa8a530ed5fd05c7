//! Checks at the end of a test: of the posts that a receiver got, of the log of events, and of the list of deliveries.

use std::collections::BTreeMap;

use serde_json::Value;

use super::api::Api;
use super::calls::name_of;
use super::receiver::Received;
use super::{CALL_STATUS, counted};
use crate::eventually;

/// Checks that each call was delivered as one event, and that repeats have the same id and the same body. Returns how
/// many accepted posts were repeats.
pub fn received(received: &[Received], calls: usize) -> usize {
    let mut bodies = BTreeMap::<&str, &str>::new();
    for one in received {
        let before = bodies.insert(one.id(), &one.body);
        assert!(before.is_none_or(|before| before == one.body), "{} came with another body", one.id());
    }
    let ids = counted(bodies.values().map(|body| call_of(body)));
    let doubled: Vec<_> = ids.iter().filter(|(_, ids)| **ids > 1).collect();
    assert!(doubled.is_empty(), "delivered under several ids: {doubled:?}");
    let accepted = counted(received.iter().filter(|one| one.is_accepted).map(Received::call));
    let missing: Vec<String> = (0..calls).map(name_of).filter(|name| !accepted.contains_key(name)).collect();
    assert!(missing.is_empty(), "never delivered: {missing:?}");
    assert_eq!(accepted.len(), calls, "other calls were delivered");
    accepted.values().sum::<usize>() - calls
}

fn call_of(body: &str) -> String {
    let event: Value = serde_json::from_str(body).unwrap();
    event["call_id"].as_str().unwrap().to_owned()
}

/// Checks that the log has no gap and each call once, with the payload that was delivered.
pub async fn pulled(api: &Api<'_>, received: &[Received], calls: usize) {
    let log = api.pull().await;
    let numbers: Vec<i64> = log.iter().map(|event| event.number).collect();
    assert_eq!(numbers, (1..=i64::try_from(log.len()).unwrap()).collect::<Vec<_>>(), "a number is missing");
    let log: Vec<_> = log.into_iter().filter(|event| event.kind == CALL_STATUS).collect();
    assert_eq!(log.len(), calls, "a call is in the log twice or not at all");
    let delivered: BTreeMap<&str, Value> = received.iter().map(|one| (one.id(), one.event())).collect();
    for event in &log {
        assert_eq!(
            delivered.get(event.id.as_str()),
            Some(&event.payload),
            "{} was delivered with another payload",
            event.id
        );
    }
}

/// Waits until the endpoint has exactly `events` deliveries, all recorded as delivered.
pub async fn settled(api: &Api<'_>, webhook: &str, events: usize) {
    eventually("every delivery is recorded", async || {
        let states = counted(api.deliveries(webhook).await.iter().map(|one| one["state"].to_string()));
        (states == BTreeMap::from([("\"delivered\"".to_owned(), events)])).then_some(())
    })
    .await;
}
