//! Template reviews, scenarios and injected webhooks.

use serde_json::json;

use super::shop::{ADA, Shop, question};
use crate::eventually;
use crate::inbound::TENANT;

#[tokio::test]
async fn a_review_changes_the_template_and_is_reported() {
    let shop = Shop::open();
    shop.make_template("spring", "https://shop.example/spring").await;
    let reviewed = shop.run("sandbox review spring --verdict REJECTED --reason SCAM --quality YELLOW");
    let template = &reviewed["templates"][0];
    assert_eq!((&template["status"], &template["quality"]), (&json!("REJECTED"), &json!("YELLOW")), "{reviewed}");
    let id = template["id"].as_str().unwrap();
    let report = shop.report("template_status", id).await;
    assert!(report.doc.contains("REJECTED") && report.doc.contains("SCAM"), "{}", report.doc);
    assert!(shop.report("template_quality", id).await.doc.contains("YELLOW"));
    let page = shop.graph.templates(None).await.unwrap();
    assert_eq!((page.templates.len(), page.templates[0].status.as_str()), (1, "REJECTED"));

    let text = shop.text("sandbox review spring --verdict approved --category MARKETING --language en");
    assert!(
        text.starts_with("templates:\n") && text.contains("category MARKETING") && text.contains("status APPROVED")
    );
    for (arguments, kind, parameter) in [
        ("winter --verdict APPROVED", "not_found", "name"),
        ("spring --verdict PERHAPS", "invalid", "verdict"),
        ("spring --quality BLUE", "invalid", "quality"),
    ] {
        let failure = shop.fails(1, &format!("sandbox review {arguments}"));
        assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), (kind, Some(parameter)), "{failure:?}");
    }
    assert_eq!(shop.fails(2, "sandbox review spring").kind, "usage");
}

#[tokio::test]
async fn lively_people_reply_by_themselves() {
    let shop = Shop::open().greeted();
    assert_eq!(shop.run("sandbox scenario lively --seed 7"), json!({"name": "lively", "seed": 7}));
    let mut asked = Vec::new();
    for _ in 0..15 {
        asked.push(shop.send(question()).await.unwrap());
    }
    eventually("a person answers", async || {
        let all = store::messaging::messages::of_channel(&shop.db, TENANT, shop.channel, "", 1000).await.unwrap();
        all.into_iter().find(|one| one.context_id.as_ref().is_some_and(|id| asked.contains(id)))
    })
    .await;
    assert_eq!(shop.text("sandbox scenario quiet"), "name: quiet\n");
    let failure = shop.fails(1, "sandbox scenario loud");
    assert_eq!(failure.kind, "invalid", "{failure:?}");
}

#[tokio::test]
async fn anything_can_be_posted() {
    let shop = Shop::open();
    let value = r#"{"event":"VERIFIED_ACCOUNT"}"#;
    let injected = shop.run(&format!("sandbox inject --field account_update --value {value}"));
    assert_eq!(injected["channel_id"], json!(shop.channel.to_string()));
    assert!(shop.report("account", "VERIFIED_ACCOUNT").await.doc.contains("account_update"));
    let text = shop.text(&format!("sandbox inject --field brand_new --value {value} --channel Shop"));
    assert!(text.contains("channel_id: "), "{text}");
    shop.report("unknown", "brand_new").await;
    // A body that cannot be parsed is parked and listed.
    shop.run(r#"sandbox inject --field messages --value {"messages":[{"id":7}]}"#);
    let parked = eventually("it is put aside", async || {
        shop.run(&format!("channel parked list --tenant {TENANT}")).as_array()?.first().cloned()
    })
    .await;
    assert!(parked["reason"].as_str().unwrap().contains("messages"), "{parked}");

    for (arguments, parameter) in
        [("--field sandbox.act --value {}", "field"), ("--field messages --value []", "value")]
    {
        let failure = shop.fails(1, &format!("sandbox inject {arguments}"));
        assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("invalid", Some(parameter)), "{failure:?}");
    }
    assert_eq!(shop.fails(2, "sandbox inject --field messages --value {").kind, "usage");
    assert_eq!(shop.run(&format!("sandbox inbox --person {ADA}")), json!({"messages": [], "said": []}));
}
