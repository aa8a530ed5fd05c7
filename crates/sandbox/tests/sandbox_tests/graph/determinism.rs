//! The same seed and the same requests give the same bytes.

use serde_json::json;
use testkit::database::TestDb;

use crate::graph::net::{ADA, BOB, Net, OFF, message, text};

/// Sends the same requests to a sandbox with a fixed seed; returns answers, scheduled changes and Ada's messages.
async fn lived(test: TestDb) -> Vec<String> {
    let net = Net::with(test, 7, OFF, "300000000000001", "300000000000002").await;
    net.person_writes(1).await;
    let number = net.channel.phone_number_id.clone();
    let template = json!({ "name": "hi", "language": "en", "category": "MARKETING",
        "components": [{ "type": "BODY", "text": "Hello {{1}} there", "example": { "body_text": [["Ada"]] } }] });
    let call = json!({ "messaging_product": "whatsapp", "to": ADA, "action": "connect",
        "session": { "sdp_type": "offer", "sdp": "v=0\r\n" } });
    let mut log = Vec::new();
    for (path, body) in [
        (format!("{number}/messages"), message(ADA, text("one"))),
        (format!("{number}/messages"), message(BOB, text("two"))),
        (format!("{number}/messages"), message("14155559999", text("three"))),
        (format!("{number}/messages"), json!({})),
        (format!("{}/message_templates", net.channel.account_id), template),
        (format!("{number}/calls"), call),
    ] {
        log.push(String::from_utf8(net.post(&path, &body).await.bytes).unwrap());
        net.advance(250);
    }
    log.extend(net.due().await.into_iter().map(|due| format!("{} {} {}", due.at.micros(), due.id, due.doc)));
    log.extend(net.inbox(1).await.into_iter().map(|one| format!("{} {} {:?}", one.id, one.doc, one.read_at)));
    log
}

testkit::both_databases! {
    async fn two_instances_with_one_seed_behave_alike(test) {
        let other = TestDb::on(test.db.engine()).await;
        let (one, two) = (lived(test).await, lived(other).await);
        assert!(one.len() > 12, "{one:#?}");
        assert_eq!(one, two);
    }
}
