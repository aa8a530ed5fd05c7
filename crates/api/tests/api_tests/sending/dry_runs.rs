//! Dry runs: the answer says what a send would do, and nothing is stored.

use serde_json::json;

use crate::sending::normalize::golden;
use crate::sending::world::{
    ADA, BEN, FILE, INTERACTIVE, SCHEDULE, SEND, Stage as _, TEXT, filled, form, peopled, text, update,
};

testkit::both_databases! {
    async fn nothing_is_stored_and_every_outcome_is_reported(stage = peopled) {
        let dry = |path: &str| format!("{path}?dry_run=true");
        golden!("text_dry", stage.good(&dry(TEXT), &text(ADA, "Hello")).await);
        golden!("text_dry_refused", stage.good(&dry(TEXT), &text(BEN, "Hello")).await);
        let recipients = json!([filled(ADA), filled("11111111111"), filled("14155550199")]);
        golden!("send_dry", stage.good(&dry(SEND), &update(&recipients)).await);
        let mut pending = update(&recipients);
        pending["template_name"] = "pending_one".into();
        golden!("send_dry_refused", stage.good(&dry(SEND), &pending).await);
        let mut later = update(&recipients);
        later["scheduled_at"] = stage.now().plus_seconds(600).to_rfc3339().into();
        let reply = stage.good(&dry(SCHEDULE), &later).await;
        assert!(reply["estimated_at"].as_str() >= later["scheduled_at"].as_str());
        let (mime, body) = form(&[("target", ADA)], Some(("file", "a.txt", "text/plain", b"hello")));
        let reply = stage.raw("POST", &dry(FILE), &mime, body).await.json();
        assert_eq!((reply["would_send"].as_bool(), reply["message"]["type"].as_str()), (Some(true), Some("document")), "{reply}");
        let (mime, body) = form(&[("target", ADA)], Some(("file", "a.exe", "application/x-msdownload", b"MZ")));
        let reply = stage.raw("POST", &dry(FILE), &mime, body).await.json();
        assert_eq!(reply["errors"][0]["reason"], "media_refused", "{reply}");
        let buttons = json!({"target": ADA, "type": "buttons", "button_message": {"body": "Go on?", "buttons": [{"text": "Yes"}]}});
        assert_eq!(stage.good(&dry(INTERACTIVE), &buttons).await["would_send"], true);
        golden!("v1_dry", stage.bare(&stage.v1(&format!("sendSessionMessage/{ADA}?messageText=Hi&dry_run=true"))).await.json());
        golden!("v1_dry_refused", stage.bare(&stage.v1(&format!("sendSessionMessage/{BEN}?messageText=Hi&dryRun=true"))).await.json());
        let offer = json!({"template_name": "offer", "broadcast_name": "Spring", "parameters": [{"name": "1", "value": "you"}]});
        let path = format!("sendTemplateMessage?dry_run=true&whatsappNumber={ADA}");
        golden!("template_v1_dry", stage.good(&stage.v1(&path), &offer).await);
        golden!("template_v2_dry", stage.good(&stage.v2(&path), &offer).await);
        assert_eq!(stage.stored().await, 0);
        assert!(stage.inbox(ADA).await.is_empty());
        let unknown = stage.get("/api/ext/v3/contacts/14155550199").await;
        assert_eq!(unknown.status, 404, "a contact was made");
    }
}
