//! Faults, reviews, scenarios and injected posts.

use serde_json::json;

use crate::sandbox::{ADA, Stage, good, normalized};

testkit::both_databases! {
    async fn faults_are_ordered_listed_and_taken_back(test) {
        let stage = Stage::new(test).await;
        assert_eq!(stage.get("faults").await, json!({"faults": []}));
        let ordered = [
            json!({"kind": "refuse", "code": 131_026, "person": ADA, "count": 3}), json!({"kind": "fail"}),
            json!({"kind": "server_error", "status": 503}), json!({"kind": "reset"}), json!({"kind": "accept_then_reset"}),
            json!({"kind": "duplicate", "copies": 3}), json!({"kind": "reorder"}), json!({"kind": "delay", "seconds": 5}),
            json!({"kind": "batch", "size": 20}), json!({"kind": "cut_upload"}),
        ];
        let mut shown = Vec::new();
        for fault in ordered {
            shown.push(stage.post("faults", fault).await);
            stage.app.test.clock.advance(std::time::Duration::from_millis(1));
        }
        assert_eq!(stage.get("faults").await, json!({"faults": shown}));
        let mut lines = normalized(json!(shown));
        lines[0]["person"] = "[bsuid]".into();
        insta::allow_duplicates! { insta::assert_json_snapshot!("faults", lines); }
        assert_eq!(good(&stage.send("DELETE", "faults", &json!(null)).await), json!({"cleared": 10}));
        assert_eq!(stage.get("faults").await, json!({"faults": []}));
    }

    async fn a_template_is_reviewed(test) {
        let stage = Stage::new(test).await;
        let template = json!({
            "name": "order_update", "language": "en_US", "category": "UTILITY",
            "components": [{"type": "BODY", "text": "Your order is on its way."}],
        });
        stage.graph("{account}/message_templates", template).await;
        let body = json!({"verdict": "rejected", "reason": "INVALID_FORMAT", "quality": "RED"});
        let reviewed = stage.post("templates/order_update/review", body).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("reviewed", normalized(reviewed)); }
    }

    async fn a_number_is_taken_out_of_order_and_repaired(test) {
        let stage = Stage::new(test).await;
        let set = async |body: serde_json::Value| good(&stage.send("PUT", "number", &body).await);
        let shown = set(json!({"registered": false, "token": "expired", "channel": "Sandbox"})).await;
        let mut expected = json!({"phone_number": "14155550100", "registered": false, "token": "expired"});
        expected["channel_id"] = shown["channel_id"].clone();
        assert_eq!(shown, expected);
        for (body, registered, token) in [
            (json!({}), false, "expired"),
            (json!({"token": "no_permission"}), false, "no_permission"),
            (json!({"registered": true}), true, "no_permission"),
            (json!({"token": "valid"}), true, "valid"),
        ] {
            let shown = set(body.clone()).await;
            assert_eq!((&shown["registered"], &shown["token"]), (&json!(registered), &json!(token)), "{body}");
        }
    }

    async fn the_network_forgets_files(test) {
        let stage = Stage::new(test).await;
        assert_eq!(stage.post("media/forget", json!({})).await, json!({"forgotten": 0}));
    }

    async fn a_scenario_is_chosen(test) {
        let stage = Stage::new(test).await;
        let chosen = stage.send("PUT", "scenario", &json!({"name": "lively", "seed": 42, "unknown": true})).await;
        assert_eq!(good(&chosen), json!({"name": "lively", "seed": 42}));
        let quiet = stage.send("PUT", "scenario", &json!({"name": "quiet"})).await;
        assert_eq!(good(&quiet), json!({"name": "quiet", "seed": null}));
    }

    async fn anything_can_be_posted_by_the_network(test) {
        let stage = Stage::new(test).await;
        let value = json!({"alert_severity": "INFORMATIONAL", "entity_id": "1"});
        let injected = stage.post("inject", json!({"field": "account_alerts", "value": value, "channel": "sandbox"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("injected", normalized(injected)); }
        let posted = stage.journalled().await;
        assert_eq!(posted[0]["entry"][0]["changes"][0], json!({"field": "account_alerts", "value": value}));
    }

    async fn the_network_has_an_address(test) {
        let stage = Stage::new(test).await;
        assert_eq!(stage.get("graph").await, json!({"url": "http://sandbox.test/v23.0"}));
    }
}
