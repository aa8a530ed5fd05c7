//! Calls of the business and of people.

use sandbox::records::Call;
use serde_json::{Value, json};
use store::platform::sandbox::records::{self, Kind, Record};

use crate::graph::net::{ADA, Net};

const SDP: &str = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\n";

fn connect(to: &str) -> Value {
    json!({ "messaging_product": "whatsapp", "to": to, "action": "connect", "biz_opaque_callback_data": "c-1",
        "session": { "sdp_type": "offer", "sdp": SDP } })
}

fn action(id: &str, action: &str) -> Value {
    let mut body = json!({ "messaging_product": "whatsapp", "call_id": id, "action": action });
    if action.ends_with("accept") {
        body["session"] = json!({ "sdp_type": "answer", "sdp": SDP });
    }
    body
}

fn path(net: &Net) -> String {
    format!("{}/calls", net.channel.phone_number_id)
}

async fn rung(net: &Net) -> String {
    let id = net.sandbox.ids().call();
    let call = Call {
        id: id.clone(),
        channel: net.channel.id,
        person: 1,
        direction: "USER_INITIATED".to_owned(),
        created_at: net.clock.now(),
        answered_at: None,
        ended_at: None,
        callback_data: None,
    };
    let record = Record { key: id.clone(), doc: serde_json::to_string(&call).unwrap(), updated_at: net.clock.now() };
    let input = (net.test.tenant, record);
    net.test
        .db
        .write(input, |tx, (tenant, record)| Box::pin(records::save(tx, *tenant, Kind::Call, record)))
        .await
        .unwrap();
    id
}

testkit::both_databases! {
    async fn a_person_answers_and_the_business_ends(net = Net::new) {
        let id = net.post(&path(&net), &connect(ADA)).await.json()["calls"][0]["id"].as_str().unwrap().to_owned();
        assert!(id.starts_with("wacid."), "{id}");
        let changes = net.changes().await;
        assert!(changes.iter().all(|change| change.field == "calls"));
        assert_eq!(changes[0].value["statuses"][0]["status"], "RINGING");
        let connected = &changes[1].value["calls"][0];
        assert_eq!((&connected["event"], &connected["direction"]), (&json!("connect"), &json!("BUSINESS_INITIATED")));
        assert_eq!((&connected["to"], &connected["session"]["sdp_type"]), (&json!(ADA), &json!("answer")));
        assert_eq!(changes[2].value["statuses"][0]["status"], "ACCEPTED");
        net.advance(30_000);
        assert_eq!(net.post(&path(&net), &action(&id, "terminate")).await.json(), json!({ "success": true }));
        let last = net.changes().await.pop().unwrap();
        let ended = &last.value["calls"][0];
        assert_eq!((&ended["event"], &ended["status"]), (&json!("terminate"), &json!("COMPLETED")));
        assert!((27..=29).contains(&ended["duration"].as_i64().unwrap()), "{ended}");
        assert_eq!(ended["biz_opaque_callback_data"], "c-1");
        assert_eq!(net.post(&path(&net), &action(&id, "terminate")).await.refusal(), (400, 131_009), "it has ended");
    }

    async fn nobody_answers_a_call_that_was_given_up(net = Net::new) {
        let id = net.post(&path(&net), &connect(ADA)).await.json()["calls"][0]["id"].as_str().unwrap().to_owned();
        net.advance(500);
        net.post(&path(&net), &action(&id, "terminate")).await;
        let changes = net.changes().await;
        let ended = &changes[1].value["calls"][0];
        assert_eq!((changes.len(), &ended["status"], ended.get("duration")), (2, &json!("FAILED"), None));
    }

    async fn a_persons_call_is_accepted_or_rejected(net = Net::new) {
        let (taken, refused) = (rung(&net).await, rung(&net).await);
        for step in ["pre_accept", "accept"] {
            assert_eq!(net.post(&path(&net), &action(&taken, step)).await.status, 200);
        }
        net.advance(5000);
        net.post(&path(&net), &action(&taken, "terminate")).await;
        net.post(&path(&net), &action(&refused, "reject")).await;
        let ends: Vec<(Value, Value)> = net.changes().await.iter().map(|one| &one.value["calls"][0])
            .map(|call| (call["status"].clone(), call["duration"].clone())).collect();
        assert!(ends.contains(&(json!("COMPLETED"), json!(5))) && ends.contains(&(json!("FAILED"), Value::Null)), "{ends:?}");
    }

    async fn invalid_calls_are_refused(net = Net::new) {
        let with = |member: &str, value: Value| { let mut body = connect(ADA); body[member] = value; body };
        for (body, expected) in [
            (connect("14155559999"), (400, 131_026)),
            (with("action", json!("sing")), (400, 131_009)),
            (with("session", Value::Null), (400, 131_008)),
            (with("session", json!({ "sdp_type": "offer", "sdp": "hello" })), (400, 131_009)),
            (with("messaging_product", Value::Null), (400, 100)),
            (with("to", Value::Null), (400, 100)),
            (action("wacid.unknown", "terminate"), (400, 131_009)),
            (json!([]), (400, 100)),
        ] {
            assert_eq!(net.post(&path(&net), &body).await.refusal(), expected, "{body}");
        }
        assert_eq!(net.due().await, []);
    }
}
