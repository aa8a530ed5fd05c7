//! Invalid webhooks are refused with the name of the member.

use domain::delivery::webhooks::{RESERVED_HEADER_PREFIXES, RESERVED_HEADERS};
use serde_json::{Value, json};
use store::Engine;
use testkit::World;

use crate::webhooks::world::{EVENTS, URL, WEBHOOKS, Webhooks as _};

fn with(member: &str, value: Value) -> Value {
    let mut body = json!({"url": URL, "eventTypes": ["message"]});
    body[member] = value;
    body
}

testkit::both_databases! {
    async fn a_webhook_that_cannot_be_is_refused_by_its_member(world = World::with_api_token) {
        let long = format!("https://example.com/{}", "a".repeat(2048));
        for (body, parameter, says) in [
            (json!({"eventTypes": ["message"]}), "url", "required"),
            (json!({"url": URL}), "eventTypes", "required"),
            (with("url", json!("example.com")), "url", "not a URL"),
            (with("url", json!("ftp://example.com/")), "url", "https://"),
            (with("url", json!("https://me:secret@example.com/")), "url", "user name"),
            (with("url", json!("https://example.com/#a")), "url", "fragment"),
            (with("url", json!(long)), "url", "2048"),
            (with("url", json!(7)), "url", "expected a string"),
            (with("url", json!("http://example.com.:8080@10.0.0.1/")), "url", "user name"),
            (with("url", json!("http://8.8.8.8/")), "url", "webhooks.allow_private"),
            (with("url", json!("http://public-host.invalid/")), "url", "webhooks.allow_private"),
            (with("url", json!("https://10.0.0.1/")), "url", "webhooks.allow_private"),
            (with("url", json!("https://169.254.169.254/latest/meta-data")), "url", "webhooks.allow_private"),
            (with("url", json!("https://[fe80::1]/")), "url", "webhooks.allow_private"),
            (with("url", json!("https://[::ffff:192.168.0.1]/")), "url", "webhooks.allow_private"),
            (with("url", json!("https://[64:ff9b::a00:1]/")), "url", "webhooks.allow_private"),
            (with("url", json!("https://167772161/")), "url", "webhooks.allow_private"),
            (with("url", json!("https://0x0a000001/")), "url", "webhooks.allow_private"),
            (with("eventTypes", json!([])), "eventTypes", "empty"),
            (with("eventTypes", json!(["message", "mesage"])), "eventTypes[1]", "did you mean message?"),
            (with("eventTypes", json!(["sentMessageDelivered"])), "eventTypes[0]", "did you mean sentMessageDELIVERED?"),
            (with("eventTypes", json!("message")), "eventTypes", "expected"),
            (with("status", json!("Defective")), "status", "Enabled or Disabled"),
            (with("status", json!("on")), "status", "Enabled or Disabled"),
            (with("headers", json!({"X-A": "a\r\nb"})), "headers.X-A", "characters"),
            (with("headers", json!({"X-A": "1", "x-a": "2"})), "headers.x-a", "twice"),
            (with("headers", json!({"X-A": "***"})), "headers.X-A", "set one"),
            (with("headers", json!({"X-A": 1})), "headers.X-A", "expected a string"),
            (with("max_in_flight", json!(0)), "max_in_flight", "1 to 256"),
            (with("max_in_flight", json!(257)), "max_in_flight", "1 to 256"),
            (with("max_per_second", json!(1001)), "max_per_second", "1 to 1000"),
        ] {
            let refused = world.post(WEBHOOKS, &body).await;
            assert_eq!(refused.status, 400, "{body}: {}", refused.text);
            assert_eq!(refused.json()["parameter"], parameter, "{body}: {}", refused.text);
            let message = refused.json()["message"].as_str().unwrap().to_owned();
            assert!(message.contains(says) && !message.contains("secret"), "{body}: {message}");
        }
        let nowhere = world.post(WEBHOOKS, &with("channel", json!("Nowhere"))).await;
        assert_eq!((nowhere.status.as_u16(), &nowhere.json()["parameter"]), (400, &json!("channel")), "{}", nowhere.text);
        assert_eq!(world.get(WEBHOOKS).await.json(), json!({"webhooks": []}));
    }

    async fn other_requests_that_cannot_be_are_refused(world = World::with_api_token) {
        let made = world.webhook(URL, json!({})).await;
        let path = format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap());
        let later = world.now().plus_seconds(60).to_rfc3339();
        for (path, body, parameter) in [
            (format!("{path}/recover"), json!({}), "since"),
            (format!("{path}/recover"), json!({"since": "soon"}), "since"),
            (format!("{path}/recover"), json!({"since": later}), "since"),
            (format!("{path}/test"), json!({"type": "call.statuss"}), "type"),
            (format!("{path}/test"), json!({"type": "templateReviewed"}), "type"),
            (format!("{path}/test"), json!({"type": 1}), "type"),
        ] {
            let refused = world.post(&path, &body).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)), "{path} {body}: {}", refused.text);
        }
        for (query, parameter) in [("state=gone", "state"), ("limit=0", "limit"), ("limit=101", "limit"), ("cursor=x", "cursor")] {
            let refused = world.get(&format!("{path}/deliveries?{query}")).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)), "{query}");
        }
        for (query, parameter) in [
            ("after=-1", "after"), ("after=x", "after"), ("after=1", "after"), ("limit=0", "limit"), ("limit=1001", "limit"),
            ("types=message,calls", "types[1]"), ("types=nothing", "types[0]"),
        ] {
            let refused = world.get(&format!("{EVENTS}?{query}")).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)), "{query}: {}", refused.text);
        }
        let disabled = world.put(&path, &json!({"status": "Disabled"})).await;
        assert_eq!(disabled.status, 200);
        let recover = world.post(&format!("{path}/recover"), &json!({"since": "2026-01-01"})).await;
        assert_eq!((recover.status.as_u16(), &recover.json()["parameter"]), (409, &json!("status")));
        let unknown = "507f1f77bcf86cd799439011";
        for missing in [format!("{WEBHOOKS}/nonsense"), format!("{WEBHOOKS}/{unknown}/deliveries"),
            format!("{path}/deliveries/{unknown}"), format!("{path}/deliveries/nonsense")] {
            assert_eq!(world.get(&missing).await.status, 404, "{missing}");
        }
        for missing in [format!("{path}/deliveries/{unknown}/retry"), format!("{WEBHOOKS}/{unknown}/test"),
            format!("{WEBHOOKS}/{unknown}/rotate-secret")] {
            assert_eq!(world.post(&missing, &json!({})).await.status, 404, "{missing}");
        }
    }
}

#[tokio::test]
async fn every_reserved_header_is_documented_and_refused() {
    let world = World::with_api_token(Engine::Sqlite).await;
    let document = serde_json::from_str::<Value>(&api::openapi()).unwrap();
    let described = document["components"]["schemas"]["NewWebhook"]["properties"]["headers"]["description"].to_string();
    let names = RESERVED_HEADERS.map(str::to_owned).into_iter();
    let names: Vec<String> = names.chain(RESERVED_HEADER_PREFIXES.map(|prefix| format!("{prefix}*"))).collect();
    assert_eq!(described.matches('`').count(), 2 * names.len(), "{described}");
    for name in names {
        let quoted = format!("`{name}`");
        assert!(described.contains(&quoted), "{described} has no {name}");
        assert!(include_str!("../../../../../docs/webhooks.md").contains(&quoted), "docs/webhooks.md has no {name}");
        let header = name.replace('*', "x").to_uppercase();
        let refused = world.post(WEBHOOKS, &with("headers", json!({ &header: "x" }))).await;
        assert_eq!(refused.status, 400, "{name}: {}", refused.text);
        assert_eq!(refused.json()["parameter"], format!("headers.{header}"), "{}", refused.text);
        assert!(refused.text.contains("cannot be set"), "{name}: {}", refused.text);
    }
}
