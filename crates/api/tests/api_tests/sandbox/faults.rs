//! Faults, reviews, scenarios and injected posts.

use serde_json::json;

use crate::sandbox::{ADA, Driving as _, driver, normalized};

testkit::both_databases! {
    async fn faults_are_ordered_listed_and_taken_back(stage = driver) {
        assert_eq!(stage.read("faults").await, json!({"faults": []}));
        let ordered = [
            json!({"kind": "refuse", "code": 131_026, "person": ADA, "count": 3}), json!({"kind": "fail"}),
            json!({"kind": "server_error", "status": 503}), json!({"kind": "reset"}), json!({"kind": "accept_then_reset"}),
            json!({"kind": "duplicate", "copies": 3}), json!({"kind": "reorder"}), json!({"kind": "delay", "seconds": 5}),
            json!({"kind": "batch", "size": 20}), json!({"kind": "cut_upload"}),
        ];
        let mut shown = Vec::new();
        for fault in ordered {
            shown.push(stage.act("faults", fault).await);
            stage.test.clock.advance(std::time::Duration::from_millis(1));
        }
        assert_eq!(stage.read("faults").await, json!({"faults": shown}));
        let mut lines = normalized(json!(shown));
        lines[0]["person"] = "[bsuid]".into();
        insta::allow_duplicates! { insta::assert_json_snapshot!("faults", lines); }
        assert_eq!(stage.attempt("DELETE", "faults", &json!(null)).await.ok(), json!({"cleared": 10}));
        assert_eq!(stage.read("faults").await, json!({"faults": []}));
    }

    async fn a_template_is_reviewed(stage = driver) {
        let template = json!({
            "name": "order_update", "language": "en_US", "category": "UTILITY",
            "components": [{"type": "BODY", "text": "Your order is on its way."}],
        });
        stage.ask_graph("{account}/message_templates", template).await;
        let body = json!({"verdict": "rejected", "reason": "INVALID_FORMAT", "quality": "RED"});
        let reviewed = stage.act("templates/order_update/review", body).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("reviewed", normalized(reviewed)); }
    }

    async fn a_number_is_taken_out_of_order_and_repaired(stage = driver) {
        let set = async |body: serde_json::Value| stage.attempt("PUT", "number", &body).await.ok();
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

    async fn the_network_forgets_files(stage = driver) {
        assert_eq!(stage.act("media/forget", json!({})).await, json!({"forgotten": 0}));
    }

    async fn a_scenario_is_chosen(stage = driver) {
        let chosen = stage.attempt("PUT", "scenario", &json!({"name": "lively", "seed": 42, "unknown": true})).await;
        assert_eq!(chosen.ok(), json!({"name": "lively", "seed": 42}));
        let quiet = stage.attempt("PUT", "scenario", &json!({"name": "quiet"})).await;
        assert_eq!(quiet.ok(), json!({"name": "quiet", "seed": null}));
    }

    async fn anything_can_be_posted_by_the_network(stage = driver) {
        let value = json!({"alert_severity": "INFORMATIONAL", "entity_id": "1"});
        let injected = stage.act("inject", json!({"field": "account_alerts", "value": value, "channel": "sandbox"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("injected", normalized(injected)); }
        let posted = stage.journalled().await;
        assert_eq!(posted[0]["entry"][0]["changes"][0], json!({"field": "account_alerts", "value": value}));
    }

    async fn the_network_has_an_address(stage = driver) {
        assert_eq!(stage.read("graph").await, json!({"url": "http://sandbox.test/v23.0"}));
    }
}
