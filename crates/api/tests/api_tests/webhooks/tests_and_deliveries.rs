//! Test deliveries over real HTTP, their signatures during a rotation, and the log of deliveries.

use domain::Timestamp;
use domain::delivery::webhooks::{Secret, signature};
use serde_json::{Value, json};
use testkit::World;
use testkit::receiver::{Post, Receiver, Reply};

use crate::webhooks::world::{WEBHOOKS, Webhooks as _, golden, normalized};

fn at(made: &Value) -> String {
    format!("{WEBHOOKS}/{}", made["id"].as_str().unwrap())
}

/// Answers every request with this status and body.
async fn receiver(status: u16, says: &str) -> Receiver {
    let reply = Reply::With {
        status,
        headers: vec![("content-type", "text/plain; charset=utf-8".to_owned())],
        body: says.to_owned(),
    };
    Receiver::answering(move |_| reply.clone()).await
}

/// Whether one of the signatures was made with this secret.
fn is_signed_with(got: &Post, secret: &Value) -> bool {
    let secret = Secret::parse(secret.as_str().unwrap()).unwrap();
    let id = got.header("webhook-id").parse().unwrap();
    let at = Timestamp::from_seconds(got.header("webhook-timestamp").parse().unwrap());
    let expected = signature([&secret], id, at, &got.body);
    got.header("webhook-signature").split(' ').any(|one| one == expected)
}

testkit::both_databases! {
    async fn a_sample_of_each_type_is_what_a_test_posts(world = World::with_api_token) {
        let receiver = receiver(200, "").await;
        let types = world.get(&format!("{WEBHOOKS}/event-types")).await.json()["eventTypes"].clone();
        let made = world.webhook(&receiver.url("/hook"), json!({"eventTypes": types})).await;
        let samples = world.get(&format!("{WEBHOOKS}/samples")).await.json()["samples"].clone();
        let types: Vec<&str> = types.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        assert_eq!(samples.as_object().unwrap().len(), types.len());
        for kind in types {
            world.post(&format!("{}/test", at(&made)), &json!({"type": kind})).await;
            let posted: Value = serde_json::from_str(&receiver.posts().last().unwrap().body).unwrap();
            assert_eq!(normalized(&samples[kind]), normalized(&posted), "{kind}");
        }
    }

    async fn an_attempt_shows_headers_and_hides_secrets(world = World::with_api_token) {
        let receiver = receiver(503, "busy").await;
        let made = world.webhook(&receiver.url("/hook"), json!({"headers": {"X-Key": "deep-secret"}})).await;
        let failed = world.post(&format!("{}/test", at(&made)), &json!({})).await.json();
        let shown = world.get(&format!("{}/deliveries/{}", at(&made), failed["delivery_id"].as_str().unwrap())).await;
        assert!(!shown.text.contains("deep-secret"), "{}", shown.text);
        let attempt = &shown.json()["attempt_log"][0];
        let got = receiver.posts().remove(0);
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "user-agent"] {
            assert_eq!(attempt["request_headers"][name], got.header(name), "{name}");
        }
        assert_eq!((&attempt["request_headers"]["x-key"], attempt.get("redelivery")), (&json!("***"), None));
        assert_eq!(attempt["response_headers"]["content-length"], "4");
        let summary = world.get(&format!("{}/summary", at(&made))).await.json();
        assert_eq!((&summary["hours"], &summary["delivered"], &summary["p99_ms"]), (&json!(24), &json!(0), &json!(null)), "tests do not count");
    }

    async fn a_test_is_posted_signed_and_its_outcome_answered(world = World::with_api_token) {
        let receiver = receiver(200, "thanks").await;
        let made = world.webhook(&receiver.url("/hook"), json!({"headers": {"X-Key": "deep-secret"}, "status": "Disabled"})).await;
        let path = at(&made);
        let tested = world.post(&format!("{path}/test"), &json!({"type": "call.status"})).await;
        assert_eq!(tested.status, 200, "{}", tested.text);
        golden!("tested", tested.json());
        // Without a body the first type is posted.
        let first = world.post(&format!("{path}/test"), &Value::Null).await.json();
        assert_eq!((&first["type"], &first["delivered"]), (&json!("message"), &json!(true)));
        let got = receiver.posts();
        assert_eq!(got.len(), 2);
        assert!(is_signed_with(&got[0], &made["secret"]) && got[0].header("x-key") == "deep-secret");
        assert_eq!(got[0].header("webhook-id"), tested.json()["delivery_id"].as_str().unwrap());
        let payload: Value = serde_json::from_str(&got[0].body).unwrap();
        golden!("sample_call", payload);

        let list = world.get(&format!("{path}/deliveries")).await.json();
        assert_eq!(list["deliveries"].as_array().unwrap().len(), 2);
        golden!("deliveries", list);
        let id = tested.json()["delivery_id"].as_str().unwrap().to_owned();
        let shown = world.get(&format!("{path}/deliveries/{id}")).await.json();
        golden!("delivery", shown);
        let retry = world.post(&format!("{path}/deliveries/{id}/retry"), &json!({})).await;
        assert_eq!((retry.status.as_u16(), &retry.json()["parameter"]), (409, &json!("delivery_id")), "{}", retry.text);
    }

    async fn a_test_that_fails_says_why(world = World::with_api_token) {
        let receiver = receiver(503, "busy").await;
        let made = world.webhook(&receiver.url("/hook"), json!({})).await;
        let path = at(&made);
        let failed = world.post(&format!("{path}/test"), &json!({})).await.json();
        golden!("failed_test", failed);
        let id = failed["delivery_id"].as_str().unwrap().to_owned();
        let shown = world.get(&format!("{path}/deliveries/{id}")).await.json();
        golden!("failed_delivery", shown);
        // Nothing listens on this port.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let unreachable = world.webhook(&format!("http://127.0.0.1:{port}/"), json!({})).await;
        let refused = world.post(&format!("{}/test", at(&unreachable)), &json!({})).await.json();
        assert_eq!((&refused["delivered"], refused.get("response_status")), (&json!(false), None));
        assert_eq!((&refused["error"], &refused["error_code"]), (&json!("no connection: refused"), &json!("refused")));
        // Failed tests have no effect on the webhook's health.
        assert!(world.get(&path).await.json().get("failed_attempts").is_none());
        let pages = |query: &str| format!("{path}/deliveries?{query}");
        assert_eq!(world.get(&pages("state=failed")).await.json()["deliveries"][0]["id"], failed["delivery_id"]);
        assert_eq!(world.get(&pages("state=delivered")).await.json(), json!({"deliveries": []}));
    }

    async fn two_secrets_sign_for_a_day_and_never_three(world = World::with_api_token) {
        let receiver = receiver(204, "").await;
        let made = world.webhook(&receiver.url("/hook"), json!({})).await;
        let path = at(&made);
        let rotate = async || world.post(&format!("{path}/rotate-secret"), &json!({})).await.json()["secret"].clone();
        let signed = async |secrets: &[&Value]| -> Vec<bool> {
            world.post(&format!("{path}/test"), &json!({})).await;
            let last = receiver.posts().pop().unwrap();
            secrets.iter().map(|secret| is_signed_with(&last, secret)).collect()
        };
        let first = made["secret"].clone();
        let second = rotate().await;
        assert_eq!(signed(&[&first, &second]).await, [true, true]);
        world.advance(86_399);
        assert_eq!(signed(&[&first, &second]).await, [true, true]);
        world.advance(1);
        assert_eq!(signed(&[&first, &second]).await, [false, true]);
        assert!(world.get(&path).await.json().get("previous_secret_until").is_none());
        let third = rotate().await;
        let fourth = rotate().await;
        assert_eq!(signed(&[&second, &third, &fourth]).await, [false, true, true]);
    }

    async fn a_cursor_walks_every_delivery_once(world = World::with_api_token) {
        let receiver = receiver(200, "").await;
        let (one, other) = (world.webhook(&receiver.url("/hook"), json!({})).await, world.webhook(&receiver.url("/hook/2"), json!({})).await);
        for _ in 0..5 {
            world.post(&format!("{}/test", at(&one)), &json!({})).await;
        }
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = world.get(&format!("{}/deliveries?limit=2&cursor={next}", at(&one))).await.json();
            seen.extend(page["deliveries"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = cursor.to_owned();
            assert_eq!(world.get(&format!("{}/deliveries?cursor={next}", at(&other))).await.status, 400);
        }
        let mut sorted = seen.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted.dedup();
        assert_eq!((seen.len(), &seen), (5, &sorted));
    }
}
