//! V2: endpoints are created by the list, all of them or none.

use serde_json::{Value, json};
use testkit::World;

use crate::webhooks::world::{URL, WEBHOOKS, golden};

async fn post(world: &World, body: &Value) -> Value {
    world.post(&path(world), body).await.ok()
}

fn path(world: &World) -> String {
    format!("/{}/api/v2/webhookEndpoints", world.tenant())
}

fn without_tenant(world: &World, answer: &Value) -> Value {
    let text = answer.to_string().replace(&format!("\"{}\"", world.tenant()), "\"[tenant]\"");
    serde_json::from_str(&text).unwrap()
}

testkit::both_databases! {
    async fn endpoints_are_made_and_listed(world = World::with_api_token) {
        world.add_channel(world.tenant(), "Support", "14155550100").await;
        let made = post(&world, &json!([
            {"phoneNumber": "14155550100", "status": 1, "url": URL, "eventTypes": ["message", "templateMessageSent_v2"]},
            {"phoneNumber": "", "status": "0", "url": "https://example.com/two", "eventTypes": ["ctaUrlClicked_bsuid"]},
        ])).await;
        golden!("v2_made", without_tenant(&world, &made));
        assert_eq!(world.get(&path(&world)).await.json(), made);
        let shown = world.get(WEBHOOKS).await.json();
        assert_eq!((&shown["webhooks"][0]["channel"], &shown["webhooks"][1]["status"]), (&json!("Support"), &json!("Disabled")));
        let id = made["result"][0]["id"].as_str().unwrap();
        let secret = world.post(&format!("{WEBHOOKS}/{id}/rotate-secret"), &json!({})).await.json();
        assert!(secret["secret"].as_str().unwrap().starts_with("whsec_"));
    }

    async fn one_that_cannot_be_made_stops_them_all(world = World::with_api_token) {
        let exists = json!({"ok": false, "error": "Webhook URL already exists", "isWebhookExist": true});
        let one = |url: &str| json!({"url": url, "eventTypes": ["message"]});
        assert_eq!(post(&world, &json!([one(URL), one("https://example.com/b"), one(URL)])).await, exists);
        assert_eq!(world.get(&path(&world)).await.json(), json!({"ok": true, "result": []}));
        post(&world, &json!([one(URL)])).await;
        assert_eq!(post(&world, &json!([one("https://example.com/b"), one(URL)])).await, exists);
        assert_eq!(post(&world, &json!([one(URL)])).await, exists);
        for (wrong, says) in [
            (json!({"url": "http://10.0.0.1/", "eventTypes": ["message"]}), "[1].url: "),
            (json!({"url": "https://example.com/c", "eventTypes": ["messages"]}), "[1].eventTypes[0]: "),
            (json!({"url": "https://example.com/c", "eventTypes": []}), "[1].eventTypes: "),
            (json!({"url": "https://example.com/c", "eventTypes": ["message"], "status": 2}), "[1].status: "),
            (json!({"url": "https://example.com/c", "eventTypes": ["message"], "status": 3}), "[1].status: "),
            (json!({"url": "https://example.com/c", "eventTypes": ["message"], "phoneNumber": "14155550199"}), "Channel not found"),
        ] {
            let refused = post(&world, &json!([one("https://example.com/b"), wrong])).await;
            assert_eq!((&refused["ok"], refused.get("isWebhookExist")), (&json!(false), None));
            assert!(refused["error"].as_str().unwrap().starts_with(says), "{refused}");
        }
        assert_eq!(world.get(&path(&world)).await.json()["result"].as_array().unwrap().len(), 1);
        assert_eq!(post(&world, &json!([])).await["ok"], false);
        let many: Vec<Value> = (0..101).map(|n| one(&format!("https://example.com/{n}"))).collect();
        assert_eq!(post(&world, &json!(many)).await["ok"], false);
        for (wrong, parameter) in [(json!([{"eventTypes": []}]), "[0].url"), (json!([{"url": 1, "eventTypes": []}]), "[0].url")] {
            let refused = world.post(&path(&world), &wrong).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)), "{}", refused.text);
        }
        assert_eq!(world.post(&path(&world), &json!({})).await.status, 400);
    }
}
