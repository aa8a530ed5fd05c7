//! Scheduled acts: performed although a process crashes at any step, with one effect even when repeated.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use channels::webhook::{CallEventKind, Notification, Record};
use domain::Timestamp;
use sandbox::driver::PlaceCall;
use serde_json::{Value, json};
use store::platform::sandbox::due::{self, Due};

use crate::driver::world::{ADA, Street, street};

/// Work that is dropped after `steps` polls, as if its process were killed.
struct Killed<F> {
    work: Pin<Box<F>>,
    steps: usize,
}

impl<F: Future> Future for Killed<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.steps == 0 {
            return Poll::Ready(());
        }
        self.steps -= 1;
        self.work.as_mut().poll(context).map(drop)
    }
}

async fn schedule_act(world: &Street, id: &str, act: &Value) {
    let (at, doc) = (world.test.clock.now(), json!({ "field": "sandbox.act", "value": act, "time": 0 }).to_string());
    let row = Due { tenant: world.tenant(), channel: world.channel.id, at, id: id.to_owned(), tries: 0, doc };
    world.test.db.write(row, |tx, row| Box::pin(due::insert_many(tx, std::slice::from_ref(row)))).await.unwrap();
}

fn ended(records: &[Record]) -> BTreeMap<String, Option<Timestamp>> {
    let end = |record: &Record| match &record.notification {
        Notification::Call(event) if event.event == CallEventKind::Terminate => Some((event.id.clone(), event.ended)),
        _ => None,
    };
    records.iter().filter_map(end).collect()
}

fn order() -> Value {
    let amount = json!({ "value": 21_000, "offset": 100 });
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "order_details", "body": { "text": "Your order" },
        "action": { "name": "review_and_pay", "parameters": {
            "reference_id": "order-1", "type": "digital-goods", "payment_configuration": "main", "currency": "INR",
            "total_amount": amount,
            "order": { "status": "pending", "subtotal": amount,
                "items": [{ "retailer_id": "1", "name": "Fern", "amount": amount, "quantity": 1 }] },
        } },
    } })
}

fn buttons() -> Value {
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "button", "body": { "text": "Will you come?" },
        "action": { "buttons": [{ "type": "reply", "reply": { "id": "yes", "title": "Yes" } }] },
    } })
}

fn link() -> Value {
    json!({ "to": ADA, "type": "interactive", "interactive": {
        "type": "cta_url", "body": { "text": "Look" },
        "action": { "name": "cta_url", "parameters": { "display_text": "Open", "url": "https://silent.example/" } },
    } })
}

testkit::both_databases! {
    async fn a_call_ends_after_any_crash(world = street) {
        for steps in 0..16 {
            let call = PlaceCall { seconds: Some(10), ..PlaceCall::default() };
            let called = world.sandbox.call(world.tenant(), ADA, call).await.unwrap();
            world.posts().await;
            world.advance(60);
            let dying = world.restarted(100);
            Killed { work: Box::pin(dying.post_due()), steps }.await;
            let mut records: Vec<Record> = world.business.take().iter().flat_map(crate::driver::world::Post::records).collect();
            records.extend(world.records().await);
            assert_eq!(ended(&records), BTreeMap::from([(called.id, Some(called.ends_at))]), "after {steps} steps");
        }
    }

    async fn a_repeated_act_has_no_second_effect(world = street) {
        world.says("hi").await;
        let (asked, ordered) = (world.send_message(buttons()).await, world.send_message(order()).await);
        world.advance(60);
        world.posts().await;
        let acts = [
            json!({ "act": "reply", "person": 1, "message": asked, "text": "Thanks!" }),
            json!({ "act": "tap", "person": 1, "message": asked, "button": "Yes" }),
            json!({ "act": "pay", "person": 1, "message": ordered, "outcome": "failed" }),
            json!({ "act": "call", "person": 1, "seconds": 5, "missed": true }),
        ];
        for (place, act) in acts.iter().enumerate() {
            let id = format!("{place}:act");
            schedule_act(&world, &id, act).await;
            assert_eq!(world.records().await.len(), 1, "{act}");
            world.advance(1);
            // As if the process had crashed before deleting the row; the next process has another seed.
            schedule_act(&world, &id, act).await;
            world.restarted(9).post_due().await.unwrap();
            assert!(world.business.take().is_empty(), "{act}");
        }
        world.advance(60);
        assert_eq!(ended(&world.records().await).len(), 1);
    }

    async fn a_page_that_never_answers_delays_no_other_act(world = street) {
        *world.web.silent.lock().unwrap() = Some("https://silent.example/".to_owned());
        world.says("hi").await;
        let message = world.send_message(link()).await;
        world.advance(60);
        world.posts().await;
        let open = json!({ "act": "open", "person": 1, "message": message, "button": "Open" });
        schedule_act(&world, "open", &open).await;
        world.says("meanwhile").await;
        assert_eq!(world.records().await.len(), 1);
        let waited = world.web.given_up.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(waited, 0, "no act waited for the page");
        while world.web.visits.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    }
}
