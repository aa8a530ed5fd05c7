//! Refusals: the domain's table of invalid templates, and malformed bodies.

use serde_json::{Value, json};
use testkit::{Engine, World};

use crate::templates::bad::{BAD, base};
use crate::templates::{TEMPLATES, wire};

#[tokio::test]
async fn every_bad_template_is_refused_over_http_with_its_place_and_stores_nothing() {
    let app = World::with_sandbox(Engine::Sqlite).await;
    let token = app.token(app.tenant(), &["messagetemplatev3:write"]).await;
    for (number, (change, path, message)) in BAD.iter().enumerate() {
        let mut new = base();
        change(&mut new);
        let path = match *path {
            "click_tracking" => "is_url_btn_click_tracking_enabled",
            as_in_the_domain => as_in_the_domain,
        };
        let answer = app.by(&token).post(TEMPLATES, &wire::template(&new)).await;
        let body = answer.json();
        assert_eq!(answer.status, 400, "row {number}: {}", answer.text);
        assert_eq!((&body["code"], &body["reason"]), (&json!(40001), &json!("invalid_parameter")), "row {number}");
        assert_eq!(body["parameter"], json!(path), "row {number}: {}", answer.text);
        assert_eq!(body["message"], json!(format!("{path}: {message}")), "row {number}");
        let checked = app.by(&token).post(&format!("{TEMPLATES}/check"), &wire::template(&new)).await.json();
        let problem = json!({"parameter": path, "message": message});
        assert!(checked["problems"].as_array().unwrap().contains(&problem), "row {number}: {checked}");
    }
    assert_eq!(app.by(&token).get(TEMPLATES).await.json()["total"], 0);
    assert!(BAD.len() >= 120, "{}", BAD.len());
}

/// A valid template with one member replaced.
fn with(member: &str, value: Value) -> Value {
    let mut body = wire::template(&base());
    body[member] = value;
    body
}

testkit::both_databases! {
    async fn a_body_of_the_wrong_types_names_the_member(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let mut nameless = wire::template(&base());
        nameless.as_object_mut().unwrap().remove("name");
        for (body, place, said) in [
            (json!({}), "name", "is required"),
            (nameless, "name", "is required"),
            (with("category", json!(7)), "category", "expected a string"),
            (with("language", json!(["en"])), "language", "expected a string"),
            (with("body", json!({})), "body", "expected a string"),
            (with("header", json!("News")), "header", "expected"),
            (with("header", json!({"text": "News"})), "header.type", "is required"),
            (with("header", json!({"type": "text", "text": 7})), "header.text", "expected a string"),
            (with("buttons", json!({})), "buttons", "expected"),
            (with("buttons", json!([{"parameter": {}}])), "buttons[0].type", "is required"),
            (with("buttons", json!([{"type": "url", "parameter": {"url": 7}}])), "buttons[0].parameter.url", "expected a string"),
            (with("buttons", json!([{"type": "url", "parameter": {"button_param_mapping": "x"}}])), "buttons[0].parameter.button_param_mapping", "expected"),
            (with("carousel_cards", json!([7])), "carousel_cards[0]", "expected"),
            (with("limited_time_offer", json!({"has_expiration": true})), "limited_time_offer.text", "is required"),
            (with("custom_params", json!({"name": "Ada"})), "custom_params", "expected"),
            (with("custom_params", json!([{"name": "name"}])), "custom_params[0].value", "is required"),
            (with("custom_params", json!([{"name": "name", "value": 7}])), "custom_params[0].value", "expected a string"),
            (with("is_url_btn_click_tracking_enabled", json!("yes")), "is_url_btn_click_tracking_enabled", "expected true or false"),
            (with("code_expiration_minutes", json!("10")), "code_expiration_minutes", "expected"),
        ] {
            let answer = app.by(&token).post(TEMPLATES, &body).await;
            let shown = answer.json();
            assert_eq!((answer.status.as_u16(), &shown["code"]), (400, &json!(40002)), "{place}: {}", answer.text);
            assert_eq!(shown["parameter"], place, "{}", answer.text);
            assert!(shown["message"].as_str().unwrap().contains(said), "{place}: {}", answer.text);
        }
    }

    async fn what_is_not_there_is_not_found(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        for id in ["507f1f77bcf86cd799439011", "nonsense"] {
            let path = format!("{TEMPLATES}/{id}");
            assert_eq!(app.by(&token).get(&path).await.reason(), "not_found");
            assert_eq!(app.by(&token).delete(&path).await.reason(), "not_found");
        }
        let answer = app.by(&token).post(TEMPLATES, &with("channel", json!("Nowhere"))).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (400, &json!("channel")), "{}", answer.text);
        assert_eq!(app.by(&token).get(&format!("{TEMPLATES}?channel=Nowhere")).await.json()["parameter"], "channel");
        for (query, parameter) in [("page_number=0", "page_number"), ("page_size=101", "page_size"), ("pageSize=x", "page_size")] {
            let answer = app.by(&token).get(&format!("{TEMPLATES}?{query}")).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (400, &json!(parameter)), "{}", answer.text);
        }
    }

    async fn a_template_of_another_tenant_is_not_there(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let made = app.by(&token).post(TEMPLATES, &wire::template(&base())).await.ok();
        let path = format!("{TEMPLATES}/{}", made["id"].as_str().unwrap());
        let stranger = app.test.new_tenant("unlimited").await;
        let foreign = app.token(stranger, &["api"]).await;
        assert_eq!(app.by(&foreign).get(&path).await.reason(), "not_found");
        assert_eq!(app.by(&foreign).delete(&path).await.reason(), "not_found");
        assert_eq!(app.by(&foreign).get(TEMPLATES).await.json()["total"], 0);
        assert_eq!(app.by(&token).get(&path).await.status, 200);
    }

    async fn a_network_that_does_not_answer_leaves_nothing_behind(app = World::new) {
        app.add_channel(app.tenant(), "Support", "14155550100").await;
        let token = app.token(app.tenant(), &["api"]).await;
        let answer = app.by(&token).post(TEMPLATES, &wire::template(&base())).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (503, "network_unavailable"), "{}", answer.text);
        assert_eq!(app.by(&token).get(TEMPLATES).await.json()["total"], 0);
    }
}
