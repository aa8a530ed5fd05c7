//! Webhooks are made, shown, changed and deleted; secrets are shown once.

use axum::body::Body;
use domain::WebhookId;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::request;

use crate::webhooks::world::{EVENTS, URL, WEBHOOKS, Webhooks as _, golden};

fn at(id: &Value) -> String {
    format!("{WEBHOOKS}/{}", id.as_str().unwrap())
}

testkit::both_databases! {
    async fn a_webhook_is_made_shown_changed_and_deleted(world = World::with_api_token) {
        world.add_channel(world.tenant(), "Support", "14155550100").await;
        let made = world.webhook(URL, json!({
            "channel": "+1 415 555 0100", "ordered": true, "headers": {"Authorization": "Bearer deep-secret"},
            "max_in_flight": 4, "max_per_second": 100,
        })).await;
        golden!("made", made);
        let plain = world.webhook("https://example.com/plain", json!({})).await;
        golden!("plain", plain);
        let path = at(&made["id"]);
        let shown = world.get(&path).await.json();
        assert!(shown.get("secret").is_none());
        let mut without = made.clone();
        without.as_object_mut().unwrap().remove("secret");
        assert_eq!(shown, without);
        let all = world.get(WEBHOOKS).await.json();
        assert_eq!(all["webhooks"][0], shown);
        assert_eq!(all["webhooks"].as_array().unwrap().len(), 2);

        // Absent members stay as they are. A header with the value `***`, as it is shown, keeps its value.
        let changed = world.put(&path, &json!({"eventTypes": ["call.status"], "channel": null, "max_per_second": null,
            "headers": {"authorization": "***", "X-Team": "a"}, "ordered": false})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        golden!("changed", changed.json());
        let same = world.put(&path, &json!({})).await.json();
        assert_eq!(same["eventTypes"], json!(["call.status"]));

        assert_eq!(world.delete(&path).await.json(), json!({"webhook_id": made["id"], "deleted": true}));
        for answer in [world.get(&path).await, world.delete(&path).await, world.put(&path, &json!({})).await] {
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"));
        }
        // The URL of a deleted webhook can be used again.
        world.webhook(URL, json!({})).await;
        let types = world.get(&format!("{WEBHOOKS}/event-types")).await.json();
        assert_eq!(types["eventTypes"].as_array().unwrap().len(), domain::delivery::events::EventType::for_webhooks().count());
    }

    async fn hidden_headers_do_not_follow_a_webhook_to_another_origin(world = World::with_api_token) {
        let made = world.webhook("https://example.com/a", json!({"headers": {"X-Key": "deep-secret"}})).await;
        let path = at(&made["id"]);
        world.put(&path, &json!({"url": "https://example.com:443/b?c=d"})).await.ok();
        for url in ["https://example.org/b", "https://example.com:8443/b", "https://sub.example.com/b"] {
            for (headers, named) in [(None, "headers"), (Some(json!({"x-key": "***"})), "headers.x-key")] {
                let mut body = json!({"url": url});
                if let Some(headers) = headers {
                    body["headers"] = headers;
                }
                let refused = world.put(&path, &body).await;
                assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(named)), "{url}");
            }
        }
        assert_eq!(world.get(&path).await.json()["url"], "https://example.com/b?c=d");
        world.put(&path, &json!({"url": "https://example.org/b", "headers": {"X-Key": "other"}})).await.ok();
        let none = world.put(&path, &json!({"url": "https://example.net/b", "headers": {}})).await;
        assert_eq!((none.status.as_u16(), &none.json()["headers"]), (200, &json!({})), "{}", none.text);
    }

    async fn what_is_secret_is_in_no_answer_but_the_first_and_in_no_audit(world = World::with_api_token) {
        let made = world.webhook(URL, json!({"headers": {"X-Key": "deep-secret"}})).await;
        let path = at(&made["id"]);
        let rotated = world.post(&format!("{path}/rotate-secret"), &json!({})).await.json();
        assert_ne!(rotated["secret"], made["secret"]);
        golden!("rotated", rotated);
        let put = world.put(&path, &json!({"headers": {"X-Key": "deep-secret-2"}})).await;
        let audit = store::identity::audit::latest(world.app.db(), world.tenant(), 100).await.unwrap();
        let actions = audit.iter().map(|one| one.action.as_str());
        let actions: Vec<&str> = actions.filter(|one| one.starts_with("webhook.")).collect();
        assert_eq!(actions, ["webhook.update", "webhook.rotate_secret", "webhook.create"]);
        let texts = [put.text, world.get(&path).await.text, world.get(WEBHOOKS).await.text, format!("{audit:?}")];
        let secrets = [made["secret"].as_str().unwrap(), rotated["secret"].as_str().unwrap(), "deep-secret"];
        for text in &texts {
            assert!(secrets.iter().all(|secret| !text.contains(secret)), "{text}");
        }
        for path in [WEBHOOKS.to_owned(), format!("{path}/rotate-secret")] {
            let keyed = request("POST", &path, Some(&world.token)).header("idempotency-key", "k1").header("content-type", "application/json");
            let refused = world.send(keyed.body(Body::from("{}")).unwrap()).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!("Idempotency-Key")));
        }
    }

    async fn the_same_url_twice_is_a_conflict(world = World::with_api_token) {
        world.webhook(URL, json!({})).await;
        let other = world.webhook("https://example.com/other", json!({})).await;
        let again = world.post(WEBHOOKS, &json!({"url": "HTTPS://EXAMPLE.com/hook", "eventTypes": ["message"]})).await;
        assert_eq!((again.status.as_u16(), &again.json()["parameter"]), (409, &json!("url")), "{}", again.text);
        let moved = world.put(&at(&other["id"]), &json!({"url": URL})).await;
        assert_eq!((moved.status.as_u16(), &moved.json()["parameter"]), (409, &json!("url")), "{}", moved.text);
        // Another tenant may use the same URL.
        let tenant = world.test.new_tenant("unlimited").await;
        let mut theirs = world;
        theirs.token = theirs.token(tenant, &["api"]).await;
        let made = theirs.webhook(URL, json!({})).await;
        assert_eq!(theirs.get(&at(&other["id"])).await.status, 404);
        assert_eq!(theirs.get(WEBHOOKS).await.json()["webhooks"][0]["id"], made["id"]);
    }

    async fn one_that_is_enabled_again_goes_on_from_now(world = World::with_api_token) {
        world.record_call(1).await;
        let made = world.webhook(URL, json!({"status": "Disabled"})).await;
        assert_eq!(made["status"], "Disabled");
        world.record_call(2).await;
        let dispatch_state = async || {
            let id: WebhookId = made["id"].as_str().unwrap().parse().unwrap();
            store::delivery::webhooks::dispatch_state::state(world.app.db(), world.tenant(), id).await.unwrap().unwrap()
        };
        assert_eq!(dispatch_state().await.position, 1);
        let enabled = world.put(&at(&made["id"]), &json!({"status": "Enabled"})).await.json();
        assert_eq!((&enabled["status"], dispatch_state().await.position), (&json!("Enabled"), 2));
        assert_eq!(world.get(&format!("{EVENTS}?after=1")).await.json()["events"].as_array().unwrap().len(), 1);
    }
}
