//! Segments: created with V1; listed, read and removed with V3.

use serde_json::{Value, json};
use testkit::application::{Answer, TestApp};

use crate::contacts::{CONTACTS, assert_refused, delete, listed, make, normalized, text};

const SEGMENTS: &str = "/api/ext/v3/segments";

async fn create(app: &TestApp, token: &str, body: Value) -> Answer {
    app.post(&format!("/{}/api/v1/createCustomSegment", app.tenant()), token, &body).await
}

async fn cities(app: &TestApp, token: &str) -> Vec<Value> {
    let mut made = Vec::new();
    for (n, (name, city, vip)) in
        [("Ada", "London", "1"), ("Bob", "Berlin", ""), ("Cleo", "Bern", "true")].iter().enumerate()
    {
        let params = if vip.is_empty() { vec![("city", *city)] } else { vec![("city", *city), ("vip", *vip)] };
        made.push(make(app, token, &format!("1415555010{n}"), name, &params).await);
    }
    made
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn one(attribute: &str, operator: &str, value: Value) -> Value {
    json!({"conditions": [{"attribute": attribute, "operator": operator, "value": value}]})
}

testkit::both_databases! {
    async fn dynamic_segments_follow_their_conditions(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        cities(&app, &token).await;
        let groups = json!([
            {"conditions": [{"attribute": "city", "operator": "contains", "value": "ber"}, {"attribute": "vip", "operator": "isSet"}]},
            one("city", "equals", json!("London")),
        ]);
        let made = create(&app, &token, json!({"name": " VIP ", "refreshType": 2, "groups": groups, "contactIds": [], "useUploadedContact": false})).await;
        assert_eq!(made.status, 200, "{}", made.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("dynamic", normalized(made.json())); }
        let id = text(&made.json()["segment"], "id").to_owned();
        for segment in ["VIP", "vip", &id] {
            assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment={segment}"), &token).await), ["Cleo", "Ada"], "{segment}");
        }
        let dan = make(&app, &token, "14155550109", "Dan", &[("city", "London")]).await;
        assert_eq!(dan["segments"], json!(["VIP"]));
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=VIP&search=dan"), &token).await), ["Dan"]);
        assert_eq!(app.get(&format!("{CONTACTS}/14155550101"), &token).await.json()["segments"], json!([]));
    }

    async fn static_segments_keep_who_was_put_into_them(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["service_integration:write", "contactsv3:write"]).await;
        let people = cities(&app, &token).await;
        let ids = json!([people[0]["id"], "+14155550102", people[0]["bsuid"], 14_155_550_100_u64]);
        let made = create(&app, &token, json!({"name": "Guests", "refreshType": 1, "contactIds": ids, "useUploadedContact": true})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("static", normalized(made.json())); }
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=guests"), &token).await), ["Cleo", "Ada"]);
        let by_groups = json!({"name": "Bs", "refreshType": "1", "groups": [one("city", "contain", json!("ber")), one("vip", "==", json!(true))], "contactIds": ["14155550100"]});
        assert_eq!(create(&app, &token, by_groups).await.json()["segment"]["contactCount"], 3);
        // A contact that meets the conditions later is not added.
        make(&app, &token, "14155550109", "Dan", &[("city", "Bern")]).await;
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=Bs"), &token).await), ["Cleo", "Bob", "Ada"]);
        let ada = app.get(&format!("{CONTACTS}/14155550100"), &token).await.json();
        assert_eq!(ada["segments"], json!(["Guests", "Bs"]));
        let empty = create(&app, &token, json!({"name": "Empty", "refreshType": 1, "groups": [one("city", "==", json!("Rome"))]})).await;
        assert_eq!(empty.json()["segment"]["contactCount"], 0);
    }

    async fn segments_are_listed_and_removed(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        cities(&app, &token).await;
        create(&app, &token, json!({"name": "Guests", "refreshType": 1, "contactIds": ["14155550100"]})).await;
        create(&app, &token, json!({"name": "Numbers", "refreshType": 2, "groups": [one("vip", "==", json!(1)), one("vip", "notEquals", json!(1.5))]})).await;
        let all = app.get(SEGMENTS, &token).await.json();
        insta::allow_duplicates! { insta::assert_json_snapshot!("all", normalized(all.clone())); }
        let id = text(&all["segments"][0], "id");
        let gone = delete(&app, &token, &format!("{SEGMENTS}/{id}")).await;
        assert_eq!((gone.status.as_u16(), gone.json()), (200, json!({"segment_id": id, "deleted": true})));
        for id in [id, "x", "507f1f77bcf86cd799439011"] {
            assert_eq!(delete(&app, &token, &format!("{SEGMENTS}/{id}")).await.status, 404, "{id}");
        }
        assert_eq!(app.get(&format!("{CONTACTS}/14155550100"), &token).await.json()["segments"], json!(["Numbers"]));
        assert_refused(&app.get(&format!("{CONTACTS}?segment=Guests"), &token).await, 400, "segment");
        // Its name is free again.
        let again = create(&app, &token, json!({"name": "guests", "refreshType": 1, "contactIds": ["14155550101"]})).await;
        assert_eq!(again.json()["result"], true);
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=guests"), &token).await), ["Bob"]);
    }

    async fn what_is_no_segment_is_refused(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        cities(&app, &token).await;
        let group = || one("city", "exist", Value::Null);
        create(&app, &token, json!({"name": "Taken", "refreshType": 2, "groups": [group()]})).await;
        for (body, info) in [
            (json!({"name": "taken", "refreshType": 2, "groups": [group()]}), "name: a segment with this name exists already"),
            (json!({"name": "x".repeat(10_000), "refreshType": 2, "groups": [group()]}), "name: expected 1 to 100"),
            (json!({"name": "a\nb", "refreshType": 2, "groups": [group()]}), "name: expected 1 to 100"),
            (json!({"name": "x", "refreshType": 1}), "contactIds: a static segment needs"),
            (json!({"name": "x", "refreshType": 2}), "groups: expected 1 to 10"),
            (json!({"name": "x", "refreshType": 2, "groups": [], "contactIds": ["14155550100"]}), "groups: expected 1 to 10"),
            (json!({"name": "x", "refreshType": 2, "groups": [group()], "contactIds": ["14155550100"]}), "contactIds: a dynamic"),
            (json!({"name": "x", "refreshType": 2, "groups": vec![group(); 11]}), "groups: expected 1 to 10"),
            (json!({"name": "x", "refreshType": 1, "groups": vec![group(); 11]}), "groups: expected 1 to 10"),
            (json!({"name": "x", "refreshType": 2, "groups": [group(), {"conditions": []}]}), "groups[1].conditions: expected 1 to 20"),
            (json!({"name": "x", "refreshType": 2, "groups": [one("", "exist", Value::Null)]}), "groups[0].conditions[0].attribute: expected"),
            (json!({"name": "x", "refreshType": 2, "groups": [one(&"x".repeat(10_000), "exist", Value::Null)]}), "groups[0].conditions[0].attribute: expected"),
            (json!({"name": "x", "refreshType": 2, "groups": [one("x", "==", json!("x".repeat(10_000)))]}), "groups[0].conditions[0].value: more than"),
            (json!({"name": "x", "refreshType": 1, "contactIds": ["14155550100", "14155550199"]}), "contactIds[1]: there is no such contact"),
            (json!({"name": "x", "refreshType": 1, "contactIds": ["14155550100", "ada"]}), "contactIds[1]: expected a phone number"),
            (json!({"name": "x", "refreshType": 1, "contactIds": vec!["14155550100"; 10_001]}), "contactIds: at most 10000"),
        ] {
            let answer = create(&app, &token, body).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["result"]), (200, &json!(false)), "{info}: {}", answer.text);
            assert!(text(&answer.json(), "info").starts_with(info), "{info}: {}", answer.text);
        }
        for (body, parameter) in [
            (json!({"refreshType": 2, "groups": [group()]}), "name"),
            (json!({"name": "x", "groups": [group()]}), "refreshType"),
            (json!({"name": "x", "refreshType": 3, "groups": [group()]}), "refreshType"),
            (json!({"name": "x", "refreshType": "daily", "groups": [group()]}), "refreshType"),
            (json!({"name": {}, "refreshType": 2, "groups": [group()]}), "name"),
            (json!({"name": "a\0b", "refreshType": 2, "groups": [group()]}), "name"),
            (json!({"name": "x", "refreshType": 2, "groups": "city"}), "groups"),
            (json!({"name": "x", "refreshType": 2, "groups": [{}]}), "groups[0].conditions"),
            (json!({"name": "x", "refreshType": 2, "groups": [one("city", "like", Value::Null)]}), "groups[0].conditions[0].operator"),
            (json!({"name": "x", "refreshType": 2, "groups": [{"conditions": [{"operator": "exist"}]}]}), "groups[0].conditions[0].attribute"),
            (json!({"name": "x", "refreshType": 2, "groups": [one("a", "==", json!([]))]}), "groups[0].conditions[0].value"),
            (json!({"name": "x", "refreshType": 2, "groups": [one("a", "==", json!("\0"))]}), "groups"),
            (json!({"name": "x", "refreshType": 1, "contactIds": "x"}), "contactIds"),
            (json!({"name": "x", "refreshType": 1, "contactIds": [null]}), "contactIds[0]"),
            (json!({"name": "x", "refreshType": 1, "contactIds": ["14155550100"], "useUploadedContact": 5}), "useUploadedContact"),
        ] {
            assert_refused(&create(&app, &token, body).await, 400, parameter);
        }
        // No segment was created, and no contact was added.
        let all = app.get(SEGMENTS, &token).await.json();
        assert_eq!(all["segments"].as_array().unwrap().len(), 1);
        assert_eq!(app.get(&format!("{CONTACTS}/14155550100"), &token).await.json()["segments"], json!(["Taken"]));
    }
}
