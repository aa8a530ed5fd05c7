//! Accepted messages: the answer, the person's inbox, the scheduled reports.

use sandbox::{FaultKind, PhoneMessageView, records};
use serde_json::{Value, json};

use crate::graph::net::{ADA, BOB, Net, text};

fn button() -> Value {
    json!({ "type": "interactive", "interactive": {
        "type": "button",
        "header": { "type": "text", "text": "Workshop" },
        "body": { "text": "Will you come?" },
        "footer": { "text": "Lucky Shrub" },
        "action": { "buttons": [
            { "type": "reply", "reply": { "id": "yes", "title": "Yes" } },
            { "type": "reply", "reply": { "id": "no", "title": "No" } },
        ] },
    } })
}

fn list() -> Value {
    json!({ "type": "interactive", "interactive": {
        "type": "list",
        "body": { "text": "Which?" },
        "action": { "button": "Options", "sections": [
            { "title": "Fast", "rows": [{ "id": "air", "title": "Air", "description": "1 day" }] },
            { "title": "Slow", "rows": [{ "id": "sea", "title": "Sea" }] },
        ] },
    } })
}

fn link() -> Value {
    json!({ "type": "interactive", "interactive": {
        "type": "cta_url",
        "body": { "text": "Have a look" },
        "action": { "name": "cta_url", "parameters": { "display_text": "See", "url": "https://example.com/a?b=c" } },
    } })
}

pub fn order(reference: &str) -> Value {
    let amount = |value: i64| json!({ "value": value, "offset": 100 });
    json!({ "type": "interactive", "interactive": {
        "type": "order_details",
        "body": { "text": "Your order" },
        "action": { "name": "review_and_pay", "parameters": {
            "reference_id": reference, "type": "digital-goods", "payment_configuration": "main", "currency": "INR",
            "total_amount": amount(21_000),
            "order": { "status": "pending",
                "items": [{ "retailer_id": "1", "name": "Fern", "amount": amount(10_000), "quantity": 2 }],
                "subtotal": amount(20_000), "tax": amount(2000), "shipping": amount(500), "discount": amount(1500) },
        } },
    } })
}

fn order_status(reference: &str, status: &str) -> Value {
    json!({ "type": "interactive", "interactive": {
        "type": "order_status",
        "body": { "text": "News" },
        "action": { "name": "review_order", "parameters": { "reference_id": reference, "order": { "status": status } } },
    } })
}

testkit::both_databases! {
    async fn a_message_is_stored_and_its_statuses_follow_in_order(net = Net::new) {
        net.person_writes(1).await;
        net.advance(1);
        let mut content = text("Hello Ada");
        content["biz_opaque_callback_data"] = json!("our-id");
        let answer = net.send("+1 (415) 555-2671", content).await;
        let body = answer.json();
        assert_eq!(body["contacts"], json!([{ "input": "+1 (415) 555-2671", "wa_id": ADA, "user_id": "US.11111111111111111111" }]));
        assert_eq!((&body["messaging_product"], &body["messages"][0]["message_status"]), (&json!("whatsapp"), &json!("accepted")));
        let id = body["messages"][0]["id"].as_str().unwrap().to_owned();
        assert!(id.starts_with("wamid."), "{id}");

        let stored = net.inbox(1).await.remove(0);
        assert_eq!((stored.id.as_str(), stored.status.as_str(), PhoneMessageView::from_message(&stored).text.as_str()), (id.as_str(), "sent", "Hello Ada"));
        let due = net.due().await;
        let ends: Vec<&str> = due.iter().map(|due| due.id.rsplit(':').next().unwrap()).collect();
        assert_eq!(ends, ["sent", "delivered", "read"]);
        assert_eq!((stored.received_at, stored.read_at), (Some(due[1].at), Some(due[2].at)));
        assert!(due[2].at < net.clock.now().plus_seconds(1), "all within a second");

        for (change, status) in net.changes().await.iter().zip(["sent", "delivered", "read"]) {
            let value = &change.value;
            assert_eq!(change.field, "messages");
            assert_eq!(value["metadata"]["phone_number_id"], net.channel.phone_number_id);
            assert_eq!(value["metadata"]["display_phone_number"], "14155550100");
            assert_eq!(value["contacts"][0]["profile"]["name"], "Ada");
            let report = &value["statuses"][0];
            assert_eq!((&report["id"], &report["status"]), (&json!(id), &json!(status)));
            assert_eq!((&report["recipient_id"], &report["biz_opaque_callback_data"]), (&json!(ADA), &json!("our-id")));
            assert_eq!(report["recipient_user_id"], "US.11111111111111111111");
        }
    }

    async fn a_process_that_was_started_again_in_the_same_instant_loses_nothing(mut net = Net::new) {
        net.person_writes(1).await;
        let first = net.sent(ADA, text("one")).await;
        net.add_fault(FaultKind::Fail { code: 131_049 }, 1).await;
        net.restart();
        let second = net.sent(ADA, text("two")).await;
        assert_ne!(first, second);
        let inbox = net.inbox(1).await;
        assert_eq!(inbox.len(), 3, "{inbox:?}");
        let ends = |id: &str, due: &[store::platform::sandbox::due::Due]| due.iter().filter(|due| due.id.starts_with(id)).count();
        let due = net.due().await;
        assert_eq!((ends(&first, &due), ends(&second, &due)), (3, 1), "a fault applies once, for any id");
    }

    async fn a_person_without_a_number_is_written_to_by_bsuid(net = Net::new) {
        net.person_writes(2).await;
        let body = net.send(BOB, text("Hello Bob")).await.json();
        assert_eq!(body["contacts"], json!([{ "input": BOB, "user_id": BOB }]));
        let report = &net.changes().await[0].value;
        assert_eq!(report["statuses"][0].get("recipient_id"), None);
        assert_eq!(report["statuses"][0]["recipient_user_id"], BOB);
        assert_eq!(report["contacts"][0], json!({
            "profile": { "name": "Bob", "username": "bob.builder" },
            "user_id": BOB, "parent_user_id": "US.ENT.2", "username": "bob.builder",
        }));
    }

    async fn undeliverable_messages_are_accepted_and_then_fail(net = Net::new) {
        for (to, code) in [("14155559999", 131_026), ("US.9", 131_026), (ADA, 131_047)] {
            let id = net.sent(to, text("Hello")).await;
            let changes = net.changes().await;
            let report = changes.iter().map(|change| &change.value["statuses"][0]).find(|report| report["id"] == id);
            let report = report.unwrap();
            assert_eq!((&report["status"], &report["errors"][0]["code"]), (&json!("failed"), &json!(code)), "{to}");
        }
        assert_eq!(net.due().await.len(), 3, "nothing but the failures");
        assert_eq!(net.inbox(1).await[0].status, "failed");
        net.person_writes(1).await;
        net.advance(24 * 3_600_000 - 1);
        net.sent(ADA, text("in time")).await;
        net.advance(1);
        net.sent(ADA, text("too late")).await;
        let states: Vec<String> = net.inbox(1).await.iter().filter(|one| !one.from_person).map(|one| one.status.clone()).collect();
        assert_eq!(states, ["failed", "sent", "failed"]);
    }

    async fn every_kind_of_content_is_accepted(net = Net::new) {
        let heard = net.person_writes(1).await;
        let contents = [
            json!({ "type": "image", "image": { "link": "https://example.com/a.png", "caption": "A" } }),
            json!({ "type": "video", "video": { "link": "https://example.com/a.mp4" } }),
            json!({ "type": "audio", "audio": { "link": "https://example.com/a.mp3" } }),
            json!({ "type": "document", "document": { "link": "https://example.com/a.pdf", "filename": "a.pdf" } }),
            json!({ "type": "sticker", "sticker": { "link": "https://example.com/a.webp" } }),
            json!({ "type": "location", "location": { "latitude": 37.44, "longitude": -122.16, "name": "Shrub" } }),
            json!({ "type": "contacts", "contacts": [{ "name": { "formatted_name": "Eve Ex", "first_name": "Eve" } }] }),
            json!({ "type": "reaction", "reaction": { "message_id": heard, "emoji": "👍" } }),
            json!({ "type": "text", "text": { "body": "So" }, "context": { "message_id": heard } }),
            button(),
            list(),
            link(),
            json!({ "type": "interactive", "interactive": { "type": "flow", "body": { "text": "Fill in" }, "action": {
                "name": "flow", "parameters": { "flow_message_version": "3", "flow_id": "1", "flow_cta": "Go" } } } }),
            json!({ "type": "interactive", "interactive": { "type": "product",
                "action": { "catalog_id": "1", "product_retailer_id": "2" } } }),
            json!({ "type": "interactive", "interactive": { "type": "product_list",
                "header": { "type": "text", "text": "All" }, "body": { "text": "Ours" },
                "action": { "catalog_id": "1", "sections": [{ "title": "A", "product_items": [{ "product_retailer_id": "2" }] }] } } }),
            json!({ "type": "interactive", "interactive": { "type": "catalog_message", "body": { "text": "Ours" },
                "action": { "name": "catalog_message" } } }),
            json!({ "type": "interactive", "interactive": { "type": "location_request_message", "body": { "text": "Where?" },
                "action": { "name": "send_location" } } }),
            json!({ "type": "interactive", "interactive": { "type": "call_permission_request",
                "action": { "name": "call_permission_request" } } }),
            order("ref-1"),
            order_status("ref-1", "shipped"),
        ];
        let count = contents.len();
        for content in contents {
            net.sent(ADA, content.clone()).await;
        }
        let inbox = net.inbox(1).await;
        assert!(inbox.iter().all(|one| one.status == "sent"), "{inbox:?}");
        assert_eq!(inbox.len(), count + 1);
        let views = || inbox.iter().map(PhoneMessageView::from_message);
        let shown = |text: &str| views().find(|shown| shown.text.contains(text)).unwrap();
        assert_eq!(shown("Will you").text, "Workshop\nWill you come?\nLucky Shrub");
        let taps: Vec<(String, Option<String>)> =
            shown("Will you").buttons.into_iter().map(|button| (button.text, button.payload)).collect();
        assert_eq!(taps, [("Yes".to_owned(), Some("yes".to_owned())), ("No".to_owned(), Some("no".to_owned()))]);
        assert_eq!(shown("Have a look").buttons[0].url.as_deref(), Some("https://example.com/a?b=c"));
        assert_eq!(shown("Which").buttons[1].kind, "row");
    }

    async fn a_read_mark_is_kept_and_a_foreign_one_refused(net = Net::new) {
        let heard = net.person_writes(1).await;
        let path = format!("{}/messages", net.channel.phone_number_id);
        let mark = |id: &str| json!({ "messaging_product": "whatsapp", "status": "read", "message_id": id,
            "typing_indicator": { "type": "text" } });
        assert_eq!(net.post(&path, &mark(&heard)).await.json(), json!({ "success": true }));
        assert_eq!(net.inbox(1).await[0].read_at, Some(net.clock.now()));
        assert_eq!(net.post(&path, &mark("wamid.unknown")).await.refusal(), (400, 131_009));
    }

    async fn an_order_can_be_looked_up_and_is_made_once(net = Net::new) {
        net.person_writes(1).await;
        let id = net.sent(ADA, order("order-7")).await;
        assert_eq!(net.send(ADA, order("order-7")).await.refusal(), (400, 131_009), "a reference is used once");
        let path = format!("{}/payments/main/order-7", net.channel.phone_number_id);
        let found = net.get(&path).await.json();
        assert_eq!(found["payments"][0], json!({ "reference_id": "order-7", "status": "pending", "currency": "INR",
            "amount": { "value": 21_000, "offset": 100 }, "transactions": [] }));
        assert_eq!(net.get(&path.replace("main", "other")).await.refusal(), (400, 100));
        assert_eq!(net.get(&path.replace("order-7", "order-8")).await.refusal(), (400, 100));
        net.sent(ADA, order_status("order-7", "completed")).await;
        let stored = store::platform::sandbox::records::list(&net.test.db, net.test.tenant, store::platform::sandbox::records::Kind::Payment);
        let payment: records::Payment = serde_json::from_str(&stored.await.unwrap()[0].doc).unwrap();
        assert_eq!((payment.message_id, payment.order_status.as_str()), (id, "completed"));
    }

    async fn faults_apply_as_often_as_requested(net = Net::new) {
        net.person_writes(1).await;
        net.add_fault(FaultKind::Refuse { code: 131_048 }, 2).await;
        for _ in 0..2 {
            assert_eq!(net.send(ADA, text("x")).await.refusal(), (429, 131_048));
        }
        net.add_fault(FaultKind::ServerError { status: 503 }, 1).await;
        let broken = net.send(ADA, text("x")).await;
        assert!(broken.status == 503 && serde_json::from_slice::<Value>(&broken.bytes).is_err());
        assert_eq!(net.due().await.len(), 0, "nothing was taken");
        let lost = async |kind| {
            net.add_fault(kind, 1).await;
            let path = format!("{}/messages", net.channel.phone_number_id);
            let body = crate::graph::net::message(ADA, text("x")).to_string();
            net.try_call(net.request("POST", &path).body(channels::transport::full(body)).unwrap()).await.is_none()
        };
        assert!(lost(FaultKind::Reset).await && net.due().await.is_empty());
        assert!(lost(FaultKind::AcceptThenReset).await);
        assert_eq!(net.due().await.len(), 3, "it was taken");
        net.add_fault(FaultKind::Fail { code: 131_049 }, 1).await;
        net.sent(ADA, text("x")).await;
        assert_eq!(net.changes().await.iter().filter(|one| one.value["statuses"][0]["errors"][0]["code"] == 131_049).count(), 1);
        assert_eq!(net.send(ADA, text("x")).await.status, 200, "all used up");
    }
}
