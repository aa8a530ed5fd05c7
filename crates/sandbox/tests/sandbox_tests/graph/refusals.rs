//! Requests that the network refuses, each with its code.

use serde_json::{Value, json};

use crate::graph::net::{ADA, Net, message, text};
use crate::graph::sending::order;

/// A valid content with one member replaced, by JSON pointer.
fn but(mut content: Value, pointer: &str, value: Value) -> Value {
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    let parent = content.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(list) => list[member.parse::<usize>().unwrap()] = value,
        parent => parent[member] = value,
    }
    content
}

#[expect(clippy::needless_pass_by_value, reason = "what is made for the call reads best where it is made")]
fn interactive(kind: &str, action: Value) -> Value {
    json!({ "type": "interactive", "interactive": { "type": kind, "body": { "text": "Body" }, "action": action } })
}

fn buttons(count: usize) -> Value {
    let button = |n: usize| json!({ "type": "reply", "reply": { "id": n.to_string(), "title": format!("Title {n}") } });
    interactive("button", json!({ "buttons": (0..count).map(button).collect::<Vec<_>>() }))
}

fn rows(count: usize) -> Value {
    let row = |n: usize| json!({ "id": n.to_string(), "title": format!("Row {n}") });
    let rows: Vec<Value> = (0..count).map(row).collect();
    interactive("list", json!({ "button": "Go", "sections": [{ "rows": rows }] }))
}

/// Invalid contents, each with the code of its error.
#[expect(clippy::too_many_lines, reason = "a table")]
fn contents() -> Vec<(Value, i64)> {
    let long = |count: usize| json!("x".repeat(count));
    let link = interactive(
        "cta_url",
        json!({ "name": "cta_url", "parameters": { "display_text": "See", "url": "https://e.com" } }),
    );
    let pay = "/interactive/action/parameters";
    vec![
        (json!({ "type": "text" }), 131_008),
        (text(""), 131_009),
        (text(&"x".repeat(4097)), 131_009),
        (json!({ "type": "text", "text": "hello" }), 100),
        (json!({ "type": "text", "text": { "body": 7 } }), 100),
        (json!({ "type": "telepathy" }), 131_009),
        (json!({ "type": 7 }), 100),
        (json!({ "type": "image", "image": {} }), 131_008),
        (json!({ "type": "image", "image": { "id": "1" } }), 131_009),
        (json!({ "type": "image", "image": { "id": "1", "link": "https://e.com" } }), 131_009),
        (json!({ "type": "image", "image": { "link": "not an address" } }), 131_009),
        (json!({ "type": "image", "image": { "link": "https://e.com", "caption": long(1025) } }), 131_009),
        (json!({ "type": "location", "location": { "latitude": 91, "longitude": 0 } }), 131_009),
        (json!({ "type": "location", "location": { "latitude": 1 } }), 131_008),
        (json!({ "type": "contacts", "contacts": [] }), 131_009),
        (json!({ "type": "contacts", "contacts": [{ "name": { "formatted_name": "A" } }] }), 131_008),
        (json!({ "type": "reaction", "reaction": { "message_id": "wamid.unknown", "emoji": "👍" } }), 131_009),
        (json!({ "type": "reaction", "reaction": { "message_id": "wamid.unknown" } }), 131_008),
        (json!({ "type": "text", "text": { "body": "x" }, "context": { "message_id": "wamid.unknown" } }), 131_009),
        (json!({ "type": "text", "text": { "body": "x" }, "biz_opaque_callback_data": long(513) }), 131_009),
        (json!({ "type": "text", "text": { "body": "x" }, "recipient_type": "group" }), 131_009),
        (interactive("dance", json!({})), 131_009),
        (json!({ "type": "interactive", "interactive": { "type": "button", "action": {} } }), 131_008),
        (buttons(0), 131_009),
        (buttons(4), 131_009),
        (but(buttons(1), "/interactive/action/buttons/0/reply/title", long(21)), 131_009),
        (but(buttons(1), "/interactive/action/buttons/0/reply/id", long(257)), 131_009),
        (but(buttons(2), "/interactive/action/buttons/1/reply/id", json!("0")), 131_009),
        (but(buttons(2), "/interactive/action/buttons/1/reply/title", json!("Title 0")), 131_009),
        (but(buttons(1), "/interactive/body/text", long(1025)), 131_009),
        (but(buttons(1), "/interactive/footer", json!({ "text": long(61) })), 131_009),
        (but(buttons(1), "/interactive/header", json!({ "type": "text", "text": long(61) })), 131_009),
        (rows(0), 131_009),
        (rows(11), 131_009),
        (but(rows(1), "/interactive/action/sections/0/rows/0/title", long(25)), 131_009),
        (but(rows(1), "/interactive/action/sections/0/rows/0/description", long(73)), 131_009),
        (but(rows(1), "/interactive/action/button", long(21)), 131_009),
        (
            but(rows(1), "/interactive/header", json!({ "type": "image", "image": { "link": "https://e.com" } })),
            131_009,
        ),
        (but(rows(2), "/interactive/action/sections/0/rows/1/id", json!("0")), 131_009),
        (but(link.clone(), "/interactive/action/parameters/url", json!("javascript:1")), 131_009),
        (but(link, "/interactive/action/parameters/display_text", long(21)), 131_009),
        (but(order("r"), &format!("{pay}/total_amount/value"), json!(1)), 131_009),
        (but(order("r"), &format!("{pay}/total_amount/offset"), json!(1000)), 131_009),
        (but(order("r"), &format!("{pay}/order/subtotal/value"), json!(1)), 131_009),
        (but(order("r"), &format!("{pay}/order/items/0/quantity"), json!(0)), 131_009),
        (but(order("r"), &format!("{pay}/order/items/0/quantity"), json!(i64::MAX)), 131_009),
        (but(order("r"), &format!("{pay}/order/items/0/name"), long(61)), 131_009),
        (but(order("r"), &format!("{pay}/currency"), json!("rupees")), 131_009),
        (but(order("r"), &format!("{pay}/reference_id"), json!("a b")), 131_009),
        (but(order("r"), &format!("{pay}/reference_id"), Value::Null), 131_008),
        (
            interactive(
                "order_status",
                json!({ "name": "review_order", "parameters": {
            "reference_id": "unknown", "order": { "status": "shipped" } } }),
            ),
            131_009,
        ),
        (
            interactive(
                "order_status",
                json!({ "name": "review_order", "parameters": {
            "reference_id": "unknown", "order": { "status": "lost" } } }),
            ),
            131_009,
        ),
        (json!({ "type": "template", "template": { "name": "unknown", "language": { "code": "en" } } }), 132_001),
        (json!({ "type": "template", "template": { "name": "unknown" } }), 131_008),
        (
            json!({ "type": "template", "template": { "name": "unknown", "language": { "code": "en" },
            "components": [{ "type": "dance" }] } }),
            131_009,
        ),
    ]
}

testkit::both_databases! {
    async fn invalid_contents_are_refused_with_their_codes(net = Net::new) {
        net.person_writes(1).await;
        for (content, code) in contents() {
            let answer = net.send(ADA, content.clone()).await;
            let status = if code == 132_001 { 404 } else { 400 };
            assert_eq!(answer.refusal(), (status, code), "{content}\n{}", answer.json());
        }
        assert_eq!(net.due().await, [], "nothing was taken");
        assert_eq!(net.inbox(1).await.len(), 1);
    }

    async fn invalid_envelopes_are_refused_with_their_codes(net = Net::new) {
        let good = message(ADA, text("x"));
        let path = format!("{}/messages", net.channel.phone_number_id);
        for (body, expected) in [
            (but(good.clone(), "/messaging_product", Value::Null), (400, 100)),
            (but(good.clone(), "/messaging_product", json!("telegram")), (400, 100)),
            (but(good.clone(), "/to", Value::Null), (400, 100)),
            (but(good.clone(), "/to", json!("abc")), (400, 131_009)),
            (but(good.clone(), "/to", json!(14_155_552_671_i64)), (400, 100)),
            (but(good.clone(), "/to", json!("14155550100")), (400, 131_021)),
            (message("USA.1", text("x")), (400, 131_009)),
            (but(good.clone(), "/context", json!({ "message_id": "a\u{0}b" })), (400, 100)),
            (json!({ "messaging_product": "whatsapp", "status": "unread", "message_id": "x" }), (400, 131_009)),
            (json!({ "messaging_product": "whatsapp", "status": "read" }), (400, 131_008)),
            (json!("text"), (400, 100)),
            (json!({}), (400, 100)),
        ] {
            assert_eq!(net.post(&path, &body).await.refusal(), expected, "{body}");
        }
        let raw = async |body: Vec<u8>| net.call(net.request("POST", &path).body(channels::transport::full(body)).unwrap()).await;
        assert_eq!(raw(b"{".to_vec()).await.refusal(), (400, 100));
        assert_eq!(raw("[".repeat(100_000).into_bytes()).await.refusal(), (400, 100), "deeply nested");
        assert_eq!(raw(vec![0xff, 0xfe]).await.refusal(), (400, 100));
        assert_eq!(raw(vec![b' '; 1024 * 1024 + 1]).await.refusal(), (413, 100));
        assert_eq!(net.due().await, []);
    }
}
