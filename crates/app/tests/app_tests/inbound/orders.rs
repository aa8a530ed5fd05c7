//! The same records in any order, with repeats, in any batches, lead to the same messages, calls and people.

use domain::messaging::messages::{Message, MessageDirection, MessageState};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use store::Engine;
use testkit::World;

use crate::inbound::world::{Inbound as _, PERSON, change, status, support, text_message, value};

const AT: i64 = 1_776_000_000;

/// The records: three messages of a person, statuses of two messages, two calls.
fn happenings() -> Vec<Value> {
    let mut all = Vec::new();
    for number in 0..3 {
        let message = text_message(&format!("wamid.in{number}"), "hi", AT + number);
        all.push(value(&json!({"messages": [message]})));
    }
    for (id, words) in [("wamid.a", ["sent", "delivered", "read"]), ("wamid.b", ["sent", "failed", "sent"])] {
        for (late, word) in words.iter().enumerate() {
            all.push(value(&json!({"statuses": [status(id, word, AT + 10 + i64::try_from(late).unwrap())]})));
        }
    }
    for (id, end) in [("wacid.1", "COMPLETED"), ("wacid.2", "FAILED")] {
        let call = json!({"id": id, "from": PERSON, "to": "14155552671", "direction": "USER_INITIATED"});
        let call_record = |more: Value| {
            let mut record = call.clone();
            for (key, given) in more.as_object().unwrap() {
                record[key] = given.clone();
            }
            value(&json!({"calls": [record]}))
        };
        all.push(call_record(json!({"event": "connect", "timestamp": AT.to_string()})));
        all.push(call_record(json!({"event": "terminate", "timestamp": (AT + 40).to_string(), "status": end,
            "start_time": (AT + 5).to_string(), "end_time": (AT + 40).to_string(), "duration": 35})));
    }
    all
}

fn field(value: &Value) -> &'static str {
    if value.get("calls").is_some() { "calls" } else { "messages" }
}

/// Splits the records into bodies of one to four records each.
fn batches(happenings: &[Value], dice: &mut SmallRng) -> Vec<Value> {
    let mut bodies = Vec::new();
    let mut left = happenings;
    while !left.is_empty() {
        let (some, rest) = left.split_at(dice.random_range(1..=left.len().min(4)));
        let changes: Vec<Value> = some.iter().map(|value| json!({"field": field(value), "value": value})).collect();
        let mut whole = change("messages", &json!({}));
        whole["entry"][0]["changes"] = changes.into();
        bodies.push(whole);
        left = rest;
    }
    bodies
}

async fn outcome(world: &World) -> Value {
    // The time at which a person's message arrived differs between runs.
    let arrived = |one: &Message| one.delivered_at.filter(|_| one.direction == MessageDirection::Outbound);
    let shown = |one: &Message| {
        json!([one.network_id, one.state, one.text, one.sent_at, arrived(one), one.read_at, one.failed_at])
    };
    let messages: Vec<Value> = world.messages().await.iter().map(shown).collect();
    let mut calls = world.calls().await;
    for call in &mut calls {
        for own in ["id", "contact_id", "channel_id", "parent_bsuid"] {
            call.as_object_mut().unwrap().remove(own);
        }
    }
    calls.sort_by_key(|call| call["call_id"].to_string());
    let contacts = world.contact_of(PERSON).await;
    json!({"messages": messages, "calls": calls, "contact": [contacts.bsuid, contacts.phone, contacts.name]})
}

async fn outcome_of(engine: Engine, seed: u64) -> Value {
    let world = support(engine).await;
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut all = happenings();
    if seed > 0 {
        let repeats: Vec<Value> = all.iter().filter(|_| dice.random_bool(0.5)).cloned().collect();
        all.extend(repeats);
        all.shuffle(&mut dice);
    }
    for body in batches(&all, &mut dice) {
        world.journal(&body).await;
        if dice.next_u32() % 3 == 0 {
            world.process_inbound().await;
        }
    }
    world.process_inbound().await;
    assert!(world.parked().await.is_empty());
    outcome(&world).await
}

async fn every_order_ends_alike(engine: Engine, seeds: u64) {
    let straight = outcome_of(engine, 0).await;
    assert_eq!(straight["messages"].as_array().unwrap().len(), 5);
    let state = |id: &str| {
        let found = straight["messages"].as_array().unwrap().iter().find(|one| one[0] == id).cloned();
        found.unwrap()[1].clone()
    };
    assert_eq!((state("wamid.a"), state("wamid.b")), (json!(MessageState::Read), json!(MessageState::Failed)));
    for seed in 1..=seeds {
        assert_eq!(outcome_of(engine, seed).await, straight, "seed {seed}");
    }
}

#[tokio::test]
async fn every_order_ends_alike_on_sqlite() {
    every_order_ends_alike(Engine::Sqlite, 40).await;
}

#[tokio::test]
async fn every_order_ends_alike_on_postgres() {
    every_order_ends_alike(Engine::Postgres, 8).await;
}
