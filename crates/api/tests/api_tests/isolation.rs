//! Calls every operation of the document as one tenant with ids of another one, in the path, in the query and in the
//! body. No answer may show anything of the other tenant, and nothing of it may change.

use std::collections::BTreeSet;

use axum::body::Body;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};
use testkit::World;
use testkit::world::{Answer, request};

use crate::orders::world::{ADA, shop, to_ada};
use crate::permissions::{Operation, operations};

/// In every name and text of the attacked tenant.
const MARK: &str = "zebracrossing";
/// Ids tried with each operation in the short form; the long form tries all of them.
const SAMPLE: usize = 6;
/// Members and parameters that hold ids somewhere in the document.
const MEMBERS: [&str; 15] = [
    "target",
    "id",
    "contact",
    "conversation_id",
    "message_id",
    "template_id",
    "channel",
    "channel_id",
    "broadcast_id",
    "segment_id",
    "label_id",
    "opening_hours_id",
    "webhook_id",
    "context_id",
    "media_id",
];

async fn call(app: &World, token: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let builder = request(method, path, Some(token)).header("content-type", "application/json");
    app.send(builder.body(body).unwrap()).await
}

/// One object of many kinds, each with the mark.
async fn furnish(shop: &World, token: &str) {
    let made = [
        (
            "contacts",
            json!({"whatsapp_number": "14155550177", "name": MARK, "custom_params": [{"name": "city", "value": MARK}]}),
        ),
        (
            "calls",
            json!({"call_id": MARK, "direction": "inbound", "from_number": "14155550177", "to_number": "14155550100",
            "started_at": "2026-04-24T10:00:00Z"}),
        ),
        ("labels", json!({"name": MARK})),
        ("openingHours", json!({"name": MARK, "time_zone": "Europe/Berlin"})),
        ("teams", json!({"name": MARK})),
        ("automation/routing/rules", json!({"name": MARK, "target": {"type": "unassigned"}})),
        ("cannedReplies", json!({"shortcut": MARK, "name": MARK, "title": MARK, "text": MARK})),
        ("webhooks", json!({"url": format!("https://example.com/{MARK}"), "eventTypes": ["message", "call.status"]})),
        (
            "segments",
            json!({"name": MARK, "refreshType": 2, "groups": [{"conditions": [{"attribute": "city", "operator": "contain", "value": MARK}]}]}),
        ),
        ("conversations/messages/text", json!({"target": ADA, "text": MARK})),
        (
            "messageTemplates",
            json!({"name": MARK, "category": "UTILITY", "language": "en", "body": format!("{MARK} is here.")}),
        ),
        ("orders", to_ada(MARK)),
    ];
    let mut count = 0;
    for (path, body) in made {
        let answer = call(shop, token, "POST", &format!("/api/ext/v3/{path}"), Some(&body)).await;
        count += usize::from(answer.status.is_success());
    }
    assert!(count >= 7, "{count} kinds of objects were made");
    shop.later(5).await;
}

/// Ids that the server made: 24 hexadecimal digits, alone or in a text.
fn ids_in(text: &str, ids: &mut BTreeSet<String>) {
    let words = text.split(|c: char| !c.is_ascii_hexdigit());
    ids.extend(words.filter(|word| word.len() == 24).map(str::to_owned));
}

/// Every id that the tenant's own answers show: of lists, then of the single objects.
async fn seen_ids(app: &World, token: &str, reads: &[Operation]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for round in 0..2 {
        let known: Vec<String> = ids.iter().cloned().collect();
        for read in reads {
            let paths: Vec<String> = match read.parameters() {
                0 => vec![read.path_for(app.tenant())],
                _ if round == 0 => Vec::new(),
                _ => known.iter().map(|id| read.path_with(app.tenant(), id, id)).collect(),
            };
            for path in paths {
                let answer = call(app, token, "GET", &path, None).await;
                if answer.status.is_success() {
                    ids_in(&answer.text, &mut ids);
                }
            }
        }
    }
    ids
}

/// The successful answers of all lists of the tenant.
async fn state(app: &World, token: &str, reads: &[Operation]) -> Vec<(String, String)> {
    let mut answers = Vec::new();
    for read in reads.iter().filter(|read| read.parameters() == 0 && !is_volatile(read)) {
        let answer = call(app, token, "GET", &read.path_for(app.tenant()), None).await;
        if answer.status.is_success() {
            answers.push((read.name(), answer.text));
        }
    }
    answers
}

/// Reads that never end, have made-up ids, or show the caller's own usage or clock.
fn is_volatile(read: &Operation) -> bool {
    ["stream", "samples", "openapi", "usage", "limits", "plan", "health", "queues", "tokens", "sandbox"]
        .iter()
        .any(|word| read.name().contains(word))
}

testkit::both_databases! {
    async fn no_operation_shows_or_changes_anything_of_another_tenant(shop = shop) {
        let app = &shop;
        let owner = app.token(app.tenant(), &["api"]).await;
        let other = app.test.new_tenant("everything").await;
        let attacker = app.token(other, &["api"]).await;
        furnish(&shop, &owner).await;
        let all: Vec<Operation> = operations().into_iter().filter(|one| !one.name().contains("stream")).collect();
        let reads: Vec<Operation> = operations().into_iter().filter(|one| one.method == "GET" && !is_volatile(one)).collect();
        let ids: Vec<String> = seen_ids(app, &owner, &reads).await.into_iter().collect();
        assert!(ids.len() >= 20, "{ids:?}");
        let before = state(app, &owner, &reads).await;
        assert!(before.iter().any(|(_, text)| text.contains(MARK)));

        let long = std::env::var_os("SWITCHBOARD_TEST_LONG").is_some();
        let mut random = StdRng::seed_from_u64(7);
        let mut requests = 0;
        for operation in &all {
            let tried: Vec<&String> = if long { ids.iter().collect() } else { ids.sample(&mut random, SAMPLE).collect() };
            for id in tried {
                let second = &ids[random.random_range(0..ids.len())];
                let body: Map<String, Value> = MEMBERS.iter().map(|member| ((*member).to_owned(), json!(id))).collect();
                let plain = operation.path_with(other, id, second);
                let query: Vec<String> = MEMBERS.iter().map(|member| format!("{member}={id}")).collect();
                let paths = [plain.clone(), format!("{plain}?{}", query.join("&"))];
                for path in paths {
                    let body = (operation.method != "GET").then(|| Value::Object(body.clone()));
                    let answer = call(app, &attacker, &operation.method, &path, body.as_ref()).await;
                    requests += 1;
                    let name = operation.name();
                    assert!(!answer.status.is_server_error(), "{name} {path}: {}", answer.text);
                    assert!(!answer.text.contains(MARK), "{name} {path}: {}", answer.text);
                    let mut shown = BTreeSet::new();
                    ids_in(&answer.text, &mut shown);
                    let leaked: Vec<&String> =
                        shown.iter().filter(|one| ids.contains(one) && *one != id && *one != second).collect();
                    assert!(leaked.is_empty(), "{name} {path} shows {leaked:?}: {}", answer.text);
                }
            }
        }
        assert!(requests >= 500, "{requests}");
        let after = state(app, &owner, &reads).await;
        assert!(before.len() >= 10 && before.len() == after.len(), "{} and {}", before.len(), after.len());
        for ((name, was), (_, is)) in before.iter().zip(&after) {
            assert_eq!(was, is, "{name} has changed");
        }
    }
}
