//! Template reviews on request.

use app::Error;
use channels::webhook::{Notification, Record};
use sandbox::driver::Review;
use serde_json::{Value, json};

use crate::driver::world::{Street, street};

async fn template(world: &Street, language: &str) -> String {
    let path = format!("{}/message_templates", world.channel.account_id);
    let body = json!({
        "name": "news", "language": language, "category": "UTILITY",
        "components": [{ "type": "BODY", "text": "There is news." }],
    });
    let made = world.ask_graph(&path, body).await;
    made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

fn review(verdict: Option<&str>) -> Review {
    Review { name: "news".to_owned(), verdict: verdict.map(str::to_owned), ..Review::default() }
}

fn status_updates(records: &[Record]) -> Vec<Value> {
    let tell = |record: &Record| match &record.notification {
        Notification::TemplateStatus(status) => json!([status.id, status.event, status.reason]),
        Notification::TemplateQuality(quality) => json!([quality.id, quality.previous, quality.new]),
        Notification::TemplateCategory(category) => json!([category.id, category.previous, category.new]),
        other => panic!("{other:?}"),
    };
    records.iter().map(tell).collect()
}

testkit::both_databases! {
    async fn a_manual_verdict_replaces_the_automatic_one(world = street) {
        let id = template(&world, "en_US").await;
        let rejected = Review { reason: Some("scam".to_owned()), ..review(Some("rejected")) };
        let after = world.sandbox.review(world.tenant(), rejected).await.unwrap();
        assert_eq!(after.templates[0].status, "REJECTED");
        world.advance(10);
        assert_eq!(status_updates(&world.records().await), [json!([id, "REJECTED", "SCAM"])], "and no approval after it");
        assert_eq!(world.look_up(&id).await.1["status"], "REJECTED");
        world.sandbox.review(world.tenant(), review(Some("REINSTATED"))).await.unwrap();
        world.sandbox.review(world.tenant(), review(Some("FLAGGED"))).await.unwrap();
        let events = status_updates(&world.records().await);
        assert_eq!(events, [json!([id, "REINSTATED", null]), json!([id, "FLAGGED", null])]);
        assert_eq!(world.look_up(&id).await.1["status"], "APPROVED");
    }

    async fn quality_and_category_change_too(world = street) {
        let ids = [template(&world, "en_US").await, template(&world, "de").await];
        world.advance(2);
        world.posts().await;
        let both = Review { quality: Some("red".to_owned()), category: Some("MARKETING".to_owned()), ..review(None) };
        let one = Review { language: Some("de".to_owned()), ..both.clone() };
        world.sandbox.review(world.tenant(), one).await.unwrap();
        let expected = [json!([ids[1], "UTILITY", "MARKETING"]), json!([ids[1], "UNKNOWN", "RED"])];
        assert_eq!(status_updates(&world.records().await), expected);
        let after = world.sandbox.review(world.tenant(), both).await.unwrap();
        assert_eq!(after.templates.len(), 2, "all languages");
        let expected = [json!([ids[0], "UTILITY", "MARKETING"]), json!([ids[0], "UNKNOWN", "RED"])];
        assert_eq!(status_updates(&world.records().await), expected, "the other is so already");
    }

    async fn an_empty_review_is_refused(world = street) {
        for (wanted, parameter) in [
            (review(None), "verdict"),
            (review(Some("SPLENDID")), "verdict"),
            (Review { quality: Some("BLUE".to_owned()), ..review(None) }, "quality"),
            (Review { category: Some("ART".to_owned()), ..review(None) }, "category"),
        ] {
            let error = world.sandbox.review(world.tenant(), wanted).await.unwrap_err();
            assert!(matches!(&error, Error::Invalid { place: named, .. } if named.to_string() == parameter), "{error}");
        }
        let missing = world.sandbox.review(world.tenant(), review(Some("APPROVED"))).await.unwrap_err();
        assert!(matches!(missing, Error::Missing { .. }), "{missing}");
    }
}
