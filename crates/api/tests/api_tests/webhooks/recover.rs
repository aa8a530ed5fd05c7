//! Recovering: which deliveries are tried again, in which order, and from where the log is read.

use domain::delivery::events::EventType;
use domain::delivery::webhooks::{Delivery, DeliveryState, WebhookStatus};
use domain::{ConversationId, DeliveryId, Id, Timestamp, WebhookId};
use serde_json::{Value, json};
use store::delivery::webhooks::deliveries;
use testkit::World;

use crate::webhooks::world::{URL, WEBHOOKS, Webhooks as _};

/// Inserts deliveries of one webhook, given by number, conversation and state, and returns their ids.
async fn write(
    world: &World,
    webhook: WebhookId,
    at: Timestamp,
    all: &[(i64, Option<ConversationId>, DeliveryState)],
) -> Vec<DeliveryId> {
    let rows: Vec<_> = all
        .iter()
        .map(|(number, conversation, state)| {
            let delivery = Delivery {
                webhook,
                id: Id::new(at),
                number: *number,
                kind: EventType::CallStatus,
                conversation_id: *conversation,
                state: *state,
                attempts: 3,
                first_at: at,
                last_at: at,
                due_at: None,
                status: Some(500),
                latency: Some(1200),
                excerpt: None,
                trace: None,
                recovery: None,
                asked: None,
            };
            (world.tenant(), delivery)
        })
        .collect();
    let ids = rows.iter().map(|(_, one)| one.id).collect();
    world.app.db().write(rows, |tx, rows| Box::pin(deliveries::write(tx, rows))).await.unwrap();
    ids
}

async fn states(world: &World, path: &str, ids: &[DeliveryId]) -> Vec<String> {
    let mut all = Vec::new();
    for id in ids {
        let shown = world.get(&format!("{path}/deliveries/{id}")).await.json();
        let due = if shown.get("next_attempt").is_some() { " due" } else { "" };
        all.push(format!("{}{due}", shown["state"].as_str().unwrap()));
    }
    all
}

async fn set_status(world: &World, webhook: WebhookId, status: WebhookStatus) {
    let input = (world.tenant(), webhook, status);
    let write = world.app.db().write(input, |tx, (tenant, id, status)| {
        Box::pin(async move {
            let mut stored = store::delivery::webhooks::for_update(tx, *tenant, *id).await?.unwrap();
            stored.status = *status;
            stored.reason = Some("151 failed attempts in a row".to_owned());
            store::delivery::webhooks::update(tx, &stored).await
        })
    });
    write.await.unwrap();
}

fn id_of(made: &Value) -> WebhookId {
    made["id"].as_str().unwrap().parse().unwrap()
}

const ALL: [DeliveryState; 5] = [
    DeliveryState::Delivered,
    DeliveryState::Retrying,
    DeliveryState::Held,
    DeliveryState::Parked,
    DeliveryState::Failed,
];

testkit::both_databases! {
    async fn a_recovery_is_previewed_followed_and_canceled(world = World::with_api_token) {
        let made = world.webhook(URL, json!({})).await;
        let (webhook, path) = (id_of(&made), format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap()));
        let now = world.now();
        let (since, until) = (now.plus_seconds(-3600), now.plus_seconds(-1800));
        let inside = write(&world, webhook, now.plus_seconds(-2400), &[(1, None, DeliveryState::Failed), (2, None, DeliveryState::Retrying)]).await;
        let outside = write(&world, webhook, now.plus_seconds(-60), &[(3, None, DeliveryState::Failed)]).await;
        let none = world.get(&format!("{path}/recovery")).await;
        assert_eq!((none.status.as_u16(), none.reason().as_str()), (404, "not_found"), "{}", none.text);
        assert_eq!(world.delete(&format!("{path}/recovery")).await.status, 404);
        let query = format!("since={}&until={}", since.to_rfc3339(), until.to_rfc3339());
        let preview = world.get(&format!("{path}/recovery/preview?{query}")).await;
        assert_eq!(preview.json(), json!({"deliveries": 2, "events": 0, "given_up": 0}), "{}", preview.text);
        assert_eq!(states(&world, &path, &inside).await, ["failed", "retrying"], "nothing changes");
        let window = json!({"since": since.to_rfc3339(), "until": until.to_rfc3339()});
        let done = world.post(&format!("{path}/recover"), &window).await.json();
        assert_eq!((&done["deliveries"], &done["given_up"]), (&json!(2), &json!(0)), "{done}");
        assert_eq!(states(&world, &path, &outside).await, ["failed"]);
        let mut progress = world.get(&format!("{path}/recovery")).await.json();
        progress["started"] = "[time]".into();
        let expected = json!({"state": "running", "since": since.to_millis().to_rfc3339(), "until": until.to_millis().to_rfc3339(),
            "started": "[time]", "total": 2, "delivered": 0, "failed": 0});
        assert_eq!(progress, expected);
        let canceled = world.delete(&format!("{path}/recovery")).await;
        assert_eq!(canceled.json(), json!({"result": true, "deliveries": 1}), "{}", canceled.text);
        assert_eq!(states(&world, &path, &inside).await, ["failed", "retrying due"]);
        assert_eq!(world.get(&format!("{path}/recovery")).await.json()["state"], "canceled");
        assert_eq!(world.delete(&format!("{path}/recovery")).await.status, 409);
        for (query, parameter) in [
            ("", "since"), ("since=soon", "since"), ("since=2026-01-01&until=x", "until"),
            ("since=2026-01-02&until=2026-01-01", "until"), ("since=9999-01-01", "since"),
        ] {
            let refused = world.get(&format!("{path}/recovery/preview?{query}")).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)), "{query}: {}", refused.text);
        }
        let backwards = world.post(&format!("{path}/recover"), &json!({"since": "2026-01-02", "until": "2026-01-01"})).await;
        assert_eq!((backwards.status.as_u16(), &backwards.json()["parameter"]), (400, &json!("until")));
        let other = world.token(world.test.new_tenant("unlimited").await, &["api"]).await;
        for part in ["recovery", "recovery/preview?since=2026-01-01", "summary"] {
            assert_eq!(world.by(&other).get(&format!("{path}/{part}")).await.status, 404, "{part}");
        }
    }

    async fn what_was_not_delivered_since_then_is_tried_again(world = World::with_api_token) {
        for n in 0..4 {
            world.record_call(n).await;
        }
        let made = world.webhook(URL, json!({})).await;
        let (webhook, path) = (id_of(&made), format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap()));
        let now = world.now();
        let (old, since) = (now.plus_seconds(-7200), now.plus_seconds(-3600));
        let some = |first: i64| ALL.iter().enumerate().map(|(i, state)| (first + i64::try_from(i).unwrap(), None, *state)).collect::<Vec<_>>();
        let before = write(&world, webhook, old, &some(1)).await;
        let after = write(&world, webhook, now.plus_seconds(-60), &some(6)).await;
        let test = write(&world, webhook, now.plus_seconds(-60), &[(0, None, DeliveryState::Failed)]).await;
        set_status(&world, webhook, WebhookStatus::Defective).await;
        assert_eq!(world.get(&path).await.json()["reason"], "151 failed attempts in a row");

        let done = world.post(&format!("{path}/recover"), &json!({"since": since.to_rfc3339()})).await;
        assert_eq!(done.status, 200, "{}", done.text);
        let expected = json!({"webhook_id": made["id"], "status": "Enabled", "deliveries": 4, "given_up": 0, "after": 0, "events": 4});
        assert_eq!(done.json(), expected);
        assert_eq!(states(&world, &path, &before).await, ["delivered", "retrying", "held", "parked", "failed"]);
        assert_eq!(states(&world, &path, &after).await, ["delivered", "retrying due", "retrying due", "retrying due", "retrying due"]);
        assert_eq!(states(&world, &path, &test).await, ["failed"]);
        let shown = world.get(&path).await.json();
        assert_eq!((&shown["status"], shown.get("reason")), (&json!("Enabled"), None));
        // All events have a delivery already, so no event is examined again.
        let again = world.post(&format!("{path}/recover"), &json!({"since": now.to_rfc3339()})).await.json();
        assert_eq!((&again["deliveries"], &again["events"]), (&json!(0), &json!(0)));
    }

    async fn where_order_counts_the_oldest_of_each_conversation_goes_first(world = World::with_api_token) {
        use DeliveryState::{Delivered, Failed, Held, Parked};
        let made = world.webhook(URL, json!({"ordered": true})).await;
        let (webhook, path) = (id_of(&made), format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap()));
        let now = world.now();
        let (ada, ben) = (Some(Id::seeded(now, 1)), Some(Id::seeded(now, 2)));
        let before = write(&world, webhook, now.plus_seconds(-7200), &[(1, ada, Parked), (2, None, Parked)]).await;
        let after = write(&world, webhook, now.plus_seconds(-60),
            &[(3, ada, Failed), (4, ada, Delivered), (5, ben, Parked), (6, ada, Held), (7, None, Parked), (8, ben, Held)]).await;
        let since = now.plus_seconds(-3600).to_rfc3339();
        let done = world.post(&format!("{path}/recover"), &json!({"since": since})).await.json();
        assert_eq!((&done["deliveries"], &done["given_up"]), (&json!(5), &json!(1)), "{done}");
        // No delivery waits for one that was given up.
        assert_eq!(states(&world, &path, &before).await, ["failed", "parked"]);
        assert_eq!(states(&world, &path, &after).await,
            ["retrying due", "delivered", "retrying due", "held", "retrying due", "held"]);
        // When delivery is no longer ordered, held deliveries become due.
        world.put(&path, &json!({"ordered": false})).await;
        assert_eq!(states(&world, &path, &after[3..]).await, ["retrying due", "retrying due", "retrying due"]);
        // A disabled webhook gets nothing: its open deliveries are parked.
        world.put(&path, &json!({"status": "Disabled"})).await;
        assert_eq!(states(&world, &path, &after).await, ["parked", "delivered", "parked", "parked", "parked", "parked"]);
    }

    async fn one_delivery_is_tried_again(world = World::with_api_token) {
        let made = world.webhook(URL, json!({})).await;
        world.record_call(1).await;
        let (webhook, path) = (id_of(&made), format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap()));
        let now = world.now();
        let ids = write(&world, webhook, now, &[(1, None, DeliveryState::Failed), (99, None, DeliveryState::Failed)]).await;
        let retried = world.post(&format!("{path}/deliveries/{}/retry", ids[0]), &json!({})).await;
        assert_eq!((retried.status.as_u16(), &retried.json()["state"]), (200, &json!("retrying")), "{}", retried.text);
        assert!(retried.json().get("next_attempt").is_some());
        let gone = world.post(&format!("{path}/deliveries/{}/retry", ids[1]), &json!({})).await;
        assert_eq!((gone.status.as_u16(), &gone.json()["parameter"]), (409, &json!("delivery_id")), "{}", gone.text);
        world.put(&path, &json!({"status": "Disabled"})).await;
        let disabled = world.post(&format!("{path}/deliveries/{}/retry", ids[0]), &json!({})).await;
        assert_eq!((disabled.status.as_u16(), &disabled.json()["parameter"]), (409, &json!("status")));
    }
}
