//! Segments: created with V1 and V3; listed, counted, changed and removed with V3.

use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

use crate::contacts::{CONTACTS, assert_refused, listed, make, normalized, text};

const SEGMENTS: &str = "/api/ext/v3/segments";

async fn create(app: &World, token: &str, body: Value) -> Answer {
    app.by(token).post(&format!("/{}/api/v1/createCustomSegment", app.tenant()), &body).await
}

async fn cities(app: &World, token: &str) -> Vec<Value> {
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
    async fn dynamic_segments_follow_their_conditions(app = World::with_api_token) {
        cities(&app, &app.token).await;
        let groups = json!([
            {"conditions": [{"attribute": "city", "operator": "contains", "value": "ber"}, {"attribute": "vip", "operator": "isSet"}]},
            one("city", "equals", json!("London")),
        ]);
        let made = create(&app, &app.token, json!({"name": " VIP ", "refreshType": 2, "groups": groups, "contactIds": [], "useUploadedContact": false})).await;
        assert_eq!(made.status, 200, "{}", made.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("dynamic", normalized(made.json())); }
        let id = text(&made.json()["segment"], "id").to_owned();
        for segment in ["VIP", "vip", &id] {
            assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment={segment}")).await), ["Cleo", "Ada"], "{segment}");
        }
        let dan = make(&app, &app.token, "14155550109", "Dan", &[("city", "London")]).await;
        assert_eq!(dan["segments"], json!(["VIP"]));
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=VIP&search=dan")).await), ["Dan"]);
        assert_eq!(app.get(&format!("{CONTACTS}/14155550101")).await.json()["segments"], json!([]));
    }

    async fn static_segments_keep_who_was_put_into_them(test) {
        let app = World::on(test).with_token(&["service_integration:write", "contactsv3:write"]).await;
        let people = cities(&app, &app.token).await;
        let ids = json!([people[0]["id"], "+14155550102", people[0]["bsuid"], 14_155_550_100_u64]);
        let made = create(&app, &app.token, json!({"name": "Guests", "refreshType": 1, "contactIds": ids, "useUploadedContact": true})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("static", normalized(made.json())); }
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=guests")).await), ["Cleo", "Ada"]);
        let by_groups = json!({"name": "Bs", "refreshType": "1", "groups": [one("city", "contain", json!("ber")), one("vip", "==", json!(true))], "contactIds": ["14155550100"]});
        assert_eq!(create(&app, &app.token, by_groups).await.json()["segment"]["contactCount"], 3);
        // A contact that meets the conditions later is not added.
        make(&app, &app.token, "14155550109", "Dan", &[("city", "Bern")]).await;
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=Bs")).await), ["Cleo", "Bob", "Ada"]);
        let ada = app.get(&format!("{CONTACTS}/14155550100")).await.json();
        assert_eq!(ada["segments"], json!(["Guests", "Bs"]));
        let empty = create(&app, &app.token, json!({"name": "Empty", "refreshType": 1, "groups": [one("city", "==", json!("Rome"))]})).await;
        assert_eq!(empty.json()["segment"]["contactCount"], 0);
    }

    async fn segments_are_listed_and_removed(app = World::with_api_token) {
        cities(&app, &app.token).await;
        create(&app, &app.token, json!({"name": "Guests", "refreshType": 1, "contactIds": ["14155550100"]})).await;
        create(&app, &app.token, json!({"name": "Numbers", "refreshType": 2, "groups": [one("vip", "==", json!(1)), one("vip", "notEquals", json!(1.5))]})).await;
        let all = app.get(SEGMENTS).await.json();
        insta::allow_duplicates! { insta::assert_json_snapshot!("all", normalized(all.clone())); }
        let id = text(&all["segments"][0], "id");
        let gone = app.delete(&format!("{SEGMENTS}/{id}")).await;
        assert_eq!((gone.status.as_u16(), gone.json()), (200, json!({"segment_id": id, "deleted": true})));
        for id in [id, "x", "507f1f77bcf86cd799439011"] {
            assert_eq!(app.delete(&format!("{SEGMENTS}/{id}")).await.status, 404, "{id}");
        }
        assert_eq!(app.get(&format!("{CONTACTS}/14155550100")).await.json()["segments"], json!(["Numbers"]));
        assert_refused(&app.get(&format!("{CONTACTS}?segment=Guests")).await, 400, "segment");
        // The name of a deleted segment can be used again.
        let again = create(&app, &app.token, json!({"name": "guests", "refreshType": 1, "contactIds": ["14155550101"]})).await;
        assert_eq!(again.json()["result"], true);
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=guests")).await), ["Bob"]);
    }

    async fn v3_makes_changes_and_counts_dynamic_segments(test) {
        let app = World::on(test).with_token(&["contactsv3:write"]).await;
        cities(&app, &app.token).await;
        let body = json!({"name": " Bs ", "refresh_type": "dynamic", "groups": [one("city", "contain", json!("ber"))]});
        let made = app.post(SEGMENTS, &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("v3_dynamic", normalized(made.json())); }
        let id = text(&made.json(), "id").to_owned();
        let path = format!("{SEGMENTS}/{id}");
        assert_eq!(app.get(&path).await.json()["contact_count"], 2);
        assert_eq!(app.get(&format!("{CONTACTS}/count?segment={id}&search=cleo")).await.json()["contact_count"], 1);
        assert!(app.get(SEGMENTS).await.json()["segments"][0].get("contact_count").is_none());
        make(&app, &app.token, "14155550109", "Dan", &[("city", "Bern")]).await;
        let counted = app.get(&format!("{SEGMENTS}?include_counts=true")).await.json();
        assert_eq!(counted["segments"][0]["contact_count"], 3);
        let groups = json!([one("city", "==", json!("London")), one("name", "==", json!("Dan"))]);
        let size = app.post(&format!("{SEGMENTS}/count"), &json!({"groups": groups})).await;
        assert_eq!(size.json(), json!({"contact_count": 2}));
        let changed = app.put(&path, &json!({"name": "Others", "groups": groups})).await;
        assert_eq!((changed.status.as_u16(), text(&changed.json(), "name")), (200, "Others"));
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=others")).await), ["Dan", "Ada"]);
        assert_eq!(app.put(&path, &json!({})).await.json(), changed.json());
        let reader = app.token(app.tenant(), &["contactsv3:read"]).await;
        assert_eq!(app.by(&reader).get(&path).await.status, 200);
        assert_eq!(app.by(&reader).put(&path, &json!({"name": "x"})).await.reason(), "scope_missing");
    }

    async fn v3_adds_and_removes_members_of_static_segments(app = World::with_api_token) {
        let people = cities(&app, &app.token).await;
        let body = json!({"name": "Guests", "refresh_type": "static", "contacts": ["+1 415 555 0100", people[1]["bsuid"]]});
        let made = app.post(SEGMENTS, &body).await.json();
        insta::allow_duplicates! { insta::assert_json_snapshot!("v3_static", normalized(made.clone())); }
        let path = format!("{SEGMENTS}/{}", text(&made, "id"));
        // A contact that is in the segment already stays in it. Below: a contact in both lists is removed, and removing
        // one that is not in the segment changes nothing.
        let change = json!({"add": ["14155550102", "14155550100", "14155550102"], "remove": [people[1]["id"]]});
        assert_eq!(app.put(&path, &change).await.status, 200);
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?segment=guests")).await), ["Cleo", "Ada"]);
        let both = json!({"add": ["14155550102"], "remove": ["14155550102", "14155550101"]});
        assert_eq!(app.put(&path, &both).await.status, 200);
        assert_eq!(app.get(&path).await.json()["contact_count"], 1);
        let log = app.app.identity().audit().latest(&app::Command(app.tenant()), 10).await.unwrap();
        let entries: Vec<_> = log.iter().map(|entry| (entry.action.as_str(), entry.details.as_str())).collect();
        let update = |added, removed| format!(r#"{{"added":{added},"name":"Guests","removed":{removed}}}"#);
        assert_eq!(entries[..2], [("segment.update", update(0, 1).as_str()), ("segment.update", update(1, 1).as_str())]);
        assert_eq!(entries[2].0, "segment.create");
    }

    async fn v3_refuses_what_is_no_segment(app = World::new) {
        let token = app.token(app.tenant(), &["api"]).await;
        cities(&app, &token).await;
        let group = || one("city", "exist", Value::Null);
        let dynamic = app.by(&token).post(SEGMENTS, &json!({"name": "Taken", "refresh_type": "dynamic", "groups": [group()]})).await.json();
        let fixed = app.by(&token).post(SEGMENTS, &json!({"name": "Fixed", "refresh_type": "static", "groups": [group()]})).await.json();
        assert_eq!(fixed["contact_count"], 3);
        for (body, status, parameter) in [
            (json!({"name": "TAKEN", "refresh_type": "dynamic", "groups": [group()]}), 409, "name"),
            (json!({"name": "", "refresh_type": "dynamic", "groups": [group()]}), 400, "name"),
            (json!({"name": "x", "refresh_type": "2", "groups": [group()]}), 400, "refresh_type"),
            (json!({"name": "x", "refresh_type": "dynamic"}), 400, "groups"),
            (json!({"name": "x", "refresh_type": "dynamic", "groups": [group()], "contacts": ["14155550100"]}), 400, "contacts"),
            (json!({"name": "x", "refresh_type": "static"}), 400, "contacts"),
            (json!({"name": "x", "refresh_type": "static", "contacts": ["14155550100", "ada"]}), 400, "contacts[1]"),
            (json!({"name": "x", "refresh_type": "static", "contacts": ["14155550199"]}), 404, "contacts[0]"),
            (json!({"name": "x", "refresh_type": "dynamic", "groups": [one("a", "like", Value::Null)]}), 400, "groups[0].conditions[0].operator"),
        ] {
            assert_refused(&app.by(&token).post(SEGMENTS, &body).await, status, parameter);
        }
        let (dynamic, fixed) = (format!("{SEGMENTS}/{}", text(&dynamic, "id")), format!("{SEGMENTS}/{}", text(&fixed, "id")));
        for (path, body, status, parameter) in [
            (&dynamic, json!({"name": "fixed"}), 409, "name"),
            (&dynamic, json!({"add": ["14155550100"]}), 400, "add"),
            (&dynamic, json!({"remove": ["14155550100"]}), 400, "remove"),
            (&dynamic, json!({"groups": []}), 400, "groups"),
            (&fixed, json!({"groups": [group()]}), 400, "groups"),
            (&fixed, json!({"name": "a\nb"}), 400, "name"),
            (&fixed, json!({"remove": ["14155550100", "x"]}), 400, "remove[1]"),
            (&fixed, json!({"add": ["14155550199"]}), 404, "add[0]"),
            (&fixed, json!({"add": vec!["14155550100"; 10_001]}), 400, "add"),
        ] {
            assert_refused(&app.by(&token).put(path, &body).await, status, parameter);
        }
        let other = app.token(app.test.new_tenant("unlimited").await, &["api"]).await;
        for path in [dynamic.as_str(), "/api/ext/v3/segments/x", "/api/ext/v3/segments/507f1f77bcf86cd799439011"] {
            let token = if path == dynamic { &other } else { &token };
            assert_eq!(app.by(token).put(path, &json!({"name": "y"})).await.status, 404, "{path}");
            assert_eq!(app.by(token).get(path).await.status, 404, "{path}");
        }
        assert_refused(&app.by(&token).post(&format!("{SEGMENTS}/count"), &json!({"groups": []})).await, 400, "groups");
        assert_eq!(app.by(&token).get(&fixed).await.json()["contact_count"], 3);
    }

    async fn what_is_no_segment_is_refused(app = World::with_api_token) {
        cities(&app, &app.token).await;
        let group = || one("city", "exist", Value::Null);
        create(&app, &app.token, json!({"name": "Taken", "refreshType": 2, "groups": [group()]})).await;
        for (body, info) in [
            (json!({"name": "taken", "refreshType": 2, "groups": [group()]}), "name: a segment with this name already exists"),
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
            (json!({"name": "x", "refreshType": 2, "groups": [one("x", "==", json!("x".repeat(10_000)))]}), "groups[0].conditions[0].value: expected at most"),
            (json!({"name": "x", "refreshType": 1, "contactIds": ["14155550100", "14155550199"]}), "contactIds[1]: there is no such contact"),
            (json!({"name": "x", "refreshType": 1, "contactIds": ["14155550100", "ada"]}), "contactIds[1]: expected a phone number"),
            (json!({"name": "x", "refreshType": 1, "contactIds": vec!["14155550100"; 10_001]}), "contactIds: at most 10000"),
        ] {
            let answer = create(&app, &app.token, body).await;
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
            assert_refused(&create(&app, &app.token, body).await, 400, parameter);
        }
        // No segment was created, and no contact was added.
        let all = app.get(SEGMENTS).await.json();
        assert_eq!(all["segments"].as_array().unwrap().len(), 1);
        assert_eq!(app.get(&format!("{CONTACTS}/14155550100")).await.json()["segments"], json!(["Taken"]));
    }
}
