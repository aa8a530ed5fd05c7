//! V3: adding, listing, searching, counting, changing and deleting contacts.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::World;

use crate::contacts::{CONTACTS, assert_refused, encoded, listed, make, normalized, text};

testkit::both_databases! {
    async fn an_added_contact_is_shown_and_listed_in_the_documented_shape(test) {
        let app = World::on(test).with_token(&["contacts:write"]).await;
        let body = json!({"whatsapp_number": "+1 (415) 555-2671", "name": " Ada Lovelace ", "custom_params": [{"name": "city", "value": "London"}]});
        let added = app.post(CONTACTS, &body).await;
        assert_eq!(added.status, 200, "{}", added.text);
        assert!(text(&added.json(), "bsuid").starts_with("US.") && text(&added.json(), "parentBsuid").starts_with("US.ENT."));
        assert!(text(&added.json(), "created").ends_with('Z') && text(&added.json(), "created").len() == 24);
        insta::allow_duplicates! { insta::assert_json_snapshot!("added", normalized(added.json())); }
        assert_eq!(app.get(&format!("{CONTACTS}/14155552671")).await.json(), added.json());
        let page = app.get(CONTACTS).await.json();
        assert_eq!(page["contact_list"][0], added.json());
        insta::allow_duplicates! { insta::assert_json_snapshot!("page", normalized(page)); }
    }

    async fn the_same_number_again_updates(app = World::with_api_token) {
        let first = make(&app, &app.token, "5511987654321", "Bia", &[("a", "1"), ("b", "2")]).await;
        app.test.clock.advance(Duration::from_millis(5));
        let again = make(&app, &app.token, "+55 11 8765-4321", "", &[("b", "3")]).await;
        for member in ["id", "bsuid", "parentBsuid", "created", "name", "phone"] {
            assert_eq!(first[member], again[member], "{member}");
        }
        assert_ne!(first["last_updated"], again["last_updated"]);
        assert_eq!(again["custom_params"], json!([{"name": "a", "value": "1"}, {"name": "b", "value": "3"}]));
        assert_eq!(listed(&app.get(CONTACTS).await), ["Bia"]);
    }

    async fn pages_searches_and_cursors(test) {
        let app = World::on(test).with_token(&["service_integration:read", "contactsv3:write"]).await;
        for (n, (name, city)) in [("Ada", "London"), ("Bob", "Berlin"), ("Cleo", "Bern"), ("Dan", "Paris"), ("Eve", "Bern")].iter().enumerate() {
            make(&app, &app.token, &format!("1415555010{n}"), name, &[("city", city)]).await;
        }
        let city = |operator: &str, value: Value| encoded(&json!([{"name": "city", "operator": operator, "value": value}]));
        for (query, expected) in [
            (String::new(), vec!["Eve", "Dan", "Cleo", "Bob", "Ada"]),
            ("page_number=2&page_size=2".to_owned(), vec!["Cleo", "Bob"]),
            ("pageNumber=3&pageSize=2".to_owned(), vec!["Ada"]),
            ("page_number=9".to_owned(), vec![]),
            ("search=5550103".to_owned(), vec!["Dan"]),
            ("search=EO&whatever=1".to_owned(), vec!["Cleo"]),
            (format!("attribute={}", city("==", json!("Bern"))), vec!["Eve", "Cleo"]),
            (format!("attribute={}&page_size=1&page_number=2", city("contain", json!("ber"))), vec!["Cleo"]),
            (format!("attribute={}", city("notContain", json!("ber"))), vec!["Dan", "Ada"]),
            (format!("attribute={}&search=eve", city("equals", json!("Bern"))), vec!["Eve"]),
        ] {
            assert_eq!(listed(&app.get(&format!("{CONTACTS}?{query}")).await), expected, "{query}");
        }
        let (mut seen, mut query) = (Vec::new(), "page_size=2".to_owned());
        for _ in 0..3 {
            let page = app.get(&format!("{CONTACTS}?{query}")).await;
            assert_eq!((&page.json()["page_number"], &page.json()["page_size"]), (&json!(1), &json!(2)));
            seen.extend(listed(&page));
            match page.json()["next_cursor"].as_str() {
                Some(cursor) => query = format!("page_size=2&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(seen, ["Eve", "Dan", "Cleo", "Bob", "Ada"]);
        let cursor = app.get(&format!("{CONTACTS}?page_size=1")).await.json()["next_cursor"].as_str().unwrap().to_owned();
        let long = encoded(&Value::Array(vec![json!({"name": "a", "operator": "exist"}); 21]));
        for (query, parameter) in [
            ("page_number=0".to_owned(), "page_number"),
            ("page_number=x".to_owned(), "page_number"),
            ("page_size=0".to_owned(), "page_size"),
            ("pageSize=101".to_owned(), "page_size"),
            ("page_size=1.5".to_owned(), "page_size"),
            ("page_size=1&pageSize=2".to_owned(), "pageSize"),
            ("cursor=nonsense".to_owned(), "cursor"),
            (format!("cursor={cursor}&page_number=2"), "cursor"),
            (format!("cursor={}x", &cursor[..cursor.len() - 1]), "cursor"),
            ("segment=nowhere".to_owned(), "segment"),
            ("attribute=[".to_owned(), "attribute"),
            ("attribute={}".to_owned(), "attribute"),
            (format!("attribute={long}"), "attribute"),
            (format!("attribute={}", city("==", json!("x".repeat(4097)))), "attribute[0].value"),
            (format!("search={}", "x".repeat(257)), "search"),
            (format!("attribute={}", encoded(&json!([{"name": "a"}]))), "attribute[0].operator"),
            (format!("attribute={}", city("like", json!("x"))), "attribute[0].operator"),
            (format!("attribute={}", city("==", json!({}))), "attribute[0].value"),
        ] {
            assert_refused(&app.get(&format!("{CONTACTS}?{query}")).await, 400, parameter);
        }
    }

    async fn attributes_of_many_contacts_are_changed_or_none(test) {
        let app = World::on(test).with_token(&["service_integration:write", "contacts:write"]).await;
        make(&app, &app.token, "14155550100", "Ada", &[("city", "Bern")]).await;
        make(&app, &app.token, "14155550101", "Bob", &[]).await;
        let entry = |target: &str, value: &str| json!({"target": target, "customParams": [{"name": "tier", "value": value}]});
        let changed = app.put(CONTACTS, &json!({"contacts": [entry("14155550101", "b"), entry("+14155550100", "a")]})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("changed", normalized(changed.json())); }
        for (contacts, status, parameter) in [
            (json!([entry("14155550100", "x"), entry("14155550199", "x")]), 404, "contacts[1].target"),
            (json!([entry("14155550100", "x"), entry("ada", "x")]), 400, "contacts[1].target"),
            (json!([entry("14155550100", "x"), {"customParams": []}]), 400, "contacts[1].target"),
            (json!([entry("14155550100", "x"), {"target": "14155550101", "customParams": [{"name": "a", "value": "1"}, {"name": "a", "value": "1"}]}]), 400, "contacts[1].customParams[1].name"),
            (json!([entry("14155550100", "x"), {"target": "14155550101", "customParams": [{"name": "a", "value": 1}]}]), 400, "contacts[1].customParams[0].value"),
            (json!([]), 400, "contacts"),
            (Value::Array(vec![entry("14155550100", "x"); 101]), 400, "contacts"),
            (json!("14155550100"), 400, "contacts"),
        ] {
            assert_refused(&app.put(CONTACTS, &json!({"contacts": contacts})).await, status, parameter);
        }
        assert_refused(&app.put(CONTACTS, &json!({})).await, 400, "contacts");
        let ada = app.get(&format!("{CONTACTS}/14155550100")).await.json();
        assert_eq!(ada["custom_params"][1], json!({"name": "tier", "value": "a"}));
        let hundred = app.put(CONTACTS, &json!({"contacts": vec![entry("14155550100", "c"); 100]})).await;
        assert_eq!(hundred.json()["contact_list"].as_array().unwrap().len(), 100);
        let untouched = app.put(CONTACTS, &json!({"contacts": [{"target": "14155550100"}]})).await;
        assert_eq!(untouched.json()["contact_list"][0]["custom_params"][1]["value"], "c");
    }

    async fn teams_replace_those_before(test) {
        let app = World::on(test).with_token(&["contactsv3:write"]).await;
        make(&app, &app.token, "14155552671", "Ada", &[]).await;
        let path = format!("{CONTACTS}/teams");
        let set = app.put(&path, &json!({"target": "14155552671", "teams": ["Support", " sales ", "SUPPORT"]})).await;
        assert_eq!((set.status.as_u16(), set.json()), (200, json!({"result": true})));
        let shown = || app.get("/api/ext/v3/contacts/14155552671");
        assert_eq!(shown().await.json()["teams"], json!(["Support", "sales"]));
        let legacy = app.by(&app.token(app.tenant(), &["api"]).await).get(&format!("/{}/api/v1/getContacts", app.tenant())).await;
        assert_eq!(legacy.json()["contact_list"][0]["teamIds"].as_array().unwrap().len(), 2);
        for (body, status, parameter) in [
            (json!({"target": "14155552699", "teams": []}), 404, "target"),
            (json!({"target": "507f1f77bcf86cd799439011", "teams": []}), 404, "target"),
            (json!({"target": "ada", "teams": []}), 400, "target"),
            (json!({"teams": []}), 400, "target"),
            (json!({"target": "14155552671"}), 400, "teams"),
            (json!({"target": "14155552671", "teams": "Support"}), 400, "teams"),
            (json!({"target": "14155552671", "teams": ["x", 1]}), 400, "teams[1]"),
            (json!({"target": "14155552671", "teams": ["x", " "]}), 400, "teams[1]"),
            (json!({"target": "14155552671", "teams": ["x".repeat(10_000)]}), 400, "teams[0]"),
            (json!({"target": "14155552671", "teams": vec!["x"; 51]}), 400, "teams"),
        ] {
            assert_refused(&app.put(&path, &body).await, status, parameter);
        }
        let nul = app.put(&path, &json!({"target": "14155552671", "teams": ["a\0b"]})).await;
        assert_eq!(nul.status, 400, "{}", nul.text);
        assert_eq!(shown().await.json()["teams"], json!(["Support", "sales"]));
        app.put(&path, &json!({"target": "14155552671", "teams": []})).await;
        assert_eq!(shown().await.json()["teams"], json!([]));
    }

    async fn counts_of_all_and_of_days(test) {
        let app = World::on(test).with_token(&["contacts:write"]).await;
        let today = app.now().to_rfc3339()[..10].to_owned();
        make(&app, &app.token, "14155550100", "Ada", &[]).await;
        app.test.clock.advance(Duration::from_hours(48));
        let later = app.now().to_rfc3339()[..10].to_owned();
        let bob = make(&app, &app.token, "14155550101", "Bob", &[]).await;
        let created = text(&bob, "created");
        for (query, count) in [
            (String::new(), 2),
            (format!("?date_from={today}"), 2),
            (format!("?date_to={today}"), 1),
            (format!("?dateFrom={later}"), 1),
            (format!("?date_from={today}&date_to={later}"), 2),
            (format!("?date_from={created}&date_to={created}"), 1),
            (format!("?date_from={later}T23:59:59.999%2B00:00"), 0),
            ("?date_from=1900-01-01".to_owned(), 2),
            ("?date_from=1900-01-01&date_to=1901-01-01".to_owned(), 0),
            ("?date_to=9999-01-01".to_owned(), 2),
            ("?date_from=2162-01-01".to_owned(), 0),
            ("?date_from=&other=1".to_owned(), 2),
        ] {
            let answer = app.get(&format!("{CONTACTS}/count{query}")).await;
            assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"contact_count": count})), "{query}");
        }
        for (query, parameter) in [
            ("date_from=yesterday".to_owned(), "date_from"),
            ("date_to=2026-02-30".to_owned(), "date_to"),
            (format!("date_from={later}&date_to={today}"), "date_from"),
        ] {
            assert_refused(&app.get(&format!("{CONTACTS}/count?{query}")).await, 400, parameter);
        }
        assert_eq!(app.get("/api/ext/v3/contacts/COUNT").await.json()["contact_count"], 2);
    }

    async fn a_deleted_contact_is_gone_and_its_number_free(test) {
        let app = World::on(test).with_token(&["contactsv3:*"]).await;
        let ada = make(&app, &app.token, "14155552671", "Ada", &[("city", "Bern")]).await;
        let gone = app.delete(&format!("{CONTACTS}/+14155552671")).await;
        assert_eq!((gone.status.as_u16(), &gone.json()["contact_id"]), (200, &ada["id"]));
        insta::allow_duplicates! { insta::assert_json_snapshot!("deleted", normalized(gone.json())); }
        for target in [text(&ada, "id"), text(&ada, "bsuid"), "14155552671"] {
            assert_eq!(app.get(&format!("{CONTACTS}/{target}")).await.status, 404, "{target}");
            assert_eq!(app.delete(&format!("{CONTACTS}/{target}")).await.status, 404, "{target}");
        }
        assert!(listed(&app.get(CONTACTS).await).is_empty());
        assert_eq!(app.get(&format!("{CONTACTS}/count")).await.json()["contact_count"], 0);
        let new = make(&app, &app.token, "14155552671", "Bea", &[]).await;
        assert!(new["id"] != ada["id"] && new["bsuid"] != ada["bsuid"] && new["custom_params"] == json!([]));
    }

    async fn literal_routes_win_over_targets(app = World::with_api_token) {
        for (method, path, status) in [
            ("GET", "count", 200),
            ("GET", "teams", 405),
            ("DELETE", "count", 405),
            ("GET", "merges", 405),
            ("GET", "nobody", 404),
            ("PUT", "14155552671", 405),
        ] {
            let answer = app.call(method, &format!("{CONTACTS}/{path}"), &json!({})).await;
            assert_eq!(answer.status.as_u16(), status, "{method} {path}: {}", answer.text);
        }
        assert_eq!(app.get(&format!("/{}{CONTACTS}", app.tenant())).await.status, 404);
    }
}
