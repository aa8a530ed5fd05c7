//! V1: adding, listing and changing contacts.

use axum::body::Body;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::{Answer, request};

use crate::contacts::{encoded, normalized};

fn names(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let list = answer.json()["contact_list"].as_array().unwrap().clone();
    list.iter().map(|contact| contact["fullName"].as_str().unwrap().to_owned()).collect()
}

async fn add(app: &World, token: &str, number: &str, body: Value) -> Answer {
    v1(app, token, &format!("addContact/{number}"), body).await
}

async fn v1(app: &World, token: &str, operation: &str, body: Value) -> Answer {
    app.by(token).post(&format!("/{}/api/v1/{operation}", app.tenant()), &body).await
}

async fn list(app: &World, token: &str, query: &str) -> Answer {
    let tenant = app.tenant();
    app.by(token).get(&format!("/{tenant}/api/v1/getContacts?{query}")).await
}

testkit::both_databases! {
    async fn an_added_contact_and_a_page_have_the_documented_shapes(test) {
        let app = World::on(test).with_token(&["contacts:write"]).await;
        let body = json!({"name": "Ada Lovelace", "customParams": [{"name": "city", "value": "London"}]});
        let added = add(&app, &app.token, "+14155552671", body).await.json();
        assert!(added["contact"]["bsuid"].as_str().unwrap().starts_with("US."));
        assert!(added["contact"]["parentBsuid"].as_str().unwrap().starts_with("US.ENT."));
        insta::allow_duplicates! { insta::assert_json_snapshot!("added", normalized(added)); }
        let page = list(&app, &app.token, "").await.json();
        assert_eq!(page["link"]["total"], 1);
        insta::allow_duplicates! { insta::assert_json_snapshot!("page", normalized(page)); }
    }

    async fn the_same_number_again_updates_and_keeps_its_bsuid(app = World::with_api_token) {
        let first = add(&app, &app.token, "5511987654321", json!({"name": "Bia", "customParams": [{"name": "a", "value": "1"}]})).await.json();
        // A Brazilian mobile number with and without its ninth digit is the same number.
        let again = add(&app, &app.token, "551187654321", json!({"name": "Beatriz", "customParams": [{"name": "b", "value": "2"}]})).await.json();
        assert_eq!(first["contact"]["bsuid"], again["contact"]["bsuid"]);
        assert_eq!(again["contact"]["customParams"], json!([
            {"name": "name", "value": "Beatriz"}, {"name": "phone", "value": "5511987654321"},
            {"name": "a", "value": "1"}, {"name": "b", "value": "2"},
        ]));
        assert_eq!(names(&list(&app, &app.token, "").await), ["Beatriz"]);
    }

    async fn filters_and_pages(app = World::with_api_token) {
        for (n, (name, city)) in [("Ada", "London"), ("Bob", "Berlin"), ("Cleo", "Bern"), ("Dan", "")].iter().enumerate() {
            let params = if city.is_empty() { json!([]) } else { json!([{"name": "city", "value": city}]) };
            add(&app, &app.token, &format!("1415555010{n}"), json!({"name": name, "customParams": params})).await;
            app.test.clock.advance(std::time::Duration::from_millis(5));
        }
        let today = app.now().to_rfc3339()[..10].to_owned();
        let turned = format!("{}-{}", &today[5..], &today[..4]);
        for (query, expected) in [
            (String::new(), vec!["Dan", "Cleo", "Bob", "Ada"]),
            ("pageSize=2".to_owned(), vec!["Dan", "Cleo"]),
            ("pageSize=2&pageNumber=2".to_owned(), vec!["Bob", "Ada"]),
            ("pageNumber=9".to_owned(), vec![]),
            ("name=b".to_owned(), vec!["Bob"]),
            ("name=5550102".to_owned(), vec!["Cleo"]),
            (format!("attribute={}", encoded(&json!([{"name": "city", "operator": "contain", "value": "ber"}]))), vec!["Cleo", "Bob"]),
            (format!("attribute={}", encoded(&json!([{"name": "city", "operator": "=="  , "value": "London"}]))), vec!["Ada"]),
            (format!("attribute={}", encoded(&json!([{"name": "city", "operator": "notExist"}]))), vec!["Dan"]),
            (format!("attribute={}&pageSize=1&pageNumber=2", encoded(&json!([{"name": "city", "operator": "exist"}]))), vec!["Bob"]),
            (format!("createdDate={today}"), vec!["Dan", "Cleo", "Bob", "Ada"]),
            (format!("createdDate={turned}&name=ada"), vec!["Ada"]),
            ("createdDate=2020-01-01".to_owned(), vec![]),
        ] {
            assert_eq!(names(&list(&app, &app.token, &query).await), expected, "{query}");
        }
        let link = list(&app, &app.token, "pageSize=2&pageNumber=1").await.json()["link"].clone();
        assert_eq!((&link["prevPage"], &link["total"]), (&Value::Null, &json!(4)));
        assert!(link["nextPage"].as_str().unwrap().ends_with("pageSize=2&pageNumber=2"));
    }

    /// Conditions as clients of the hosted platforms write them: on the contact's own name and number, with `=`, and
    /// with keys without quotes.
    async fn conditions_of_clients_in_the_field(app = World::with_api_token) {
        let london = json!([{"name": "city", "value": "London"}]);
        for (number, body) in [
            ("14155550100", json!({"name": "Ada Lovelace", "customParams": london})),
            ("14155550101", json!({"name": "Bob"})),
            ("14155550102", json!({"customParams": [{"name": "level", "value": 5}, {"name": "vip", "value": true}]})),
        ] {
            assert_eq!(add(&app, &app.token, number, body).await.json()["result"], true);
            app.test.clock.advance(std::time::Duration::from_millis(5));
        }
        let hex = |text: &str| text.bytes().fold(String::new(), |out, byte| out + &format!("%{byte:02x}"));
        for (attribute, expected) in [
            (r#"[{"name":"name","operator":"contain","value":"Ada"}]"#, vec!["Ada Lovelace"]),
            (r#"[{"name":"name","operator":"notContain","value":"ada"}]"#, vec!["14155550102", "Bob"]),
            (r#"[{"name":"name","operator":"=","value":"Bob"}]"#, vec!["Bob"]),
            (r#"[{"name":"name","operator":"exist"}]"#, vec!["Bob", "Ada Lovelace"]),
            (r#"[{"name":"phone","operator":"!=","value":"14155550100"}]"#, vec!["14155550102", "Bob"]),
            (r#"[{"name":"phone","operator":"==","value":"+1 (415) 555-0101"}]"#, vec!["Bob"]),
            (r#"[{"name":"phone","operator":"contain","value":"5550102"}]"#, vec!["14155550102"]),
            (r#"[{name: "city", operator: "=", value: "London"}]"#, vec!["Ada Lovelace"]),
            (r#"[{name:"level",operator:"==",value:5},{name:"vip",operator:"==",value:true}]"#, vec!["14155550102"]),
        ] {
            let page = list(&app, &app.token, &format!("attribute={}", hex(attribute))).await;
            assert_eq!(names(&page), expected, "{attribute}");
            assert_eq!(page.json()["link"]["total"], expected.len(), "{attribute}");
        }
        let nameless = list(&app, &app.token, "name=5550102").await.json()["contact_list"][0].clone();
        assert_eq!((&nameless["firstName"], &nameless["fullName"]), (&json!("14155550102"), &json!("14155550102")));
        assert_eq!(nameless["customParams"], json!([
            {"name": "name", "value": "14155550102"}, {"name": "phone", "value": "14155550102"},
            {"name": "level", "value": "5"}, {"name": "vip", "value": "true"},
        ]));
    }

    /// A client may write back what it has read: the attribute `name` sets the contact's own name and is listed once,
    /// and `phone` is ignored.
    async fn the_own_name_and_number_among_attributes(app = World::with_api_token) {
        let body = json!({"customParams": [{"name": "name", "value": "Ada"}, {"name": "phone", "value": "1"}, {"name": "a", "value": "1"}]});
        let listed = |name: &str| json!([{"name": "name", "value": name}, {"name": "phone", "value": "14155552671"}, {"name": "a", "value": "1"}]);
        let added = add(&app, &app.token, "14155552671", body).await.json()["contact"].clone();
        assert_eq!((&added["fullName"], &added["customParams"]), (&json!("Ada"), &listed("Ada")));
        let renamed = json!({"customParams": [{"name": "name", "value": "Grace"}]});
        let changed = v1(&app, &app.token, "updateContactAttributes/14155552671", renamed).await.json()["contact"].clone();
        assert_eq!((&changed["fullName"], &changed["customParams"]), (&json!("Grace"), &listed("Grace")));
    }

    async fn a_new_contact_keeps_its_source(app = World::with_api_token) {
        let added = add(&app, &app.token, "14155552671?sourceType=Shop", json!({"name": "Ada"})).await.json();
        assert_eq!(added["contact"]["source"], "Shop");
        let again = add(&app, &app.token, "14155552671?sourceType=Fair", json!({"name": "Ada"})).await.json();
        assert_eq!(again["contact"]["source"], "Shop");
        assert_eq!(add(&app, &app.token, "14155552672", json!({"name": "Bob"})).await.json()["contact"]["source"], "API");
        let long = add(&app, &app.token, &format!("14155552673?sourceType={}", "x".repeat(65)), json!({})).await.json();
        assert!(long["info"].as_str().unwrap().starts_with("sourceType: "), "{long}");
    }

    async fn pages_begin_at_zero_or_one_and_are_cut(app = World::with_api_token) {
        for (n, name) in ["Ada", "Bob", "Cleo"].iter().enumerate() {
            add(&app, &app.token, &format!("1415555010{n}"), json!({"name": name})).await;
        }
        for (query, number, size, total) in [("pageNumber=0&pageSize=2", 1, 2, 3), ("pageSize=5000", 1, 100, 3), ("pageNumber=2&pageSize=2", 2, 2, 3)] {
            let link = list(&app, &app.token, query).await.json()["link"].clone();
            assert_eq!((&link["pageNumber"], &link["pageSize"], &link["total"]), (&json!(number), &json!(size), &json!(total)), "{query}");
        }
    }

    async fn untidy_clients_are_understood(app = World::with_api_token) {
        let tenant = app.tenant();
        add(&app, &app.token, "14155552671", json!({"name": "Ada"})).await;
        add(&app, &app.token, "14155552672", json!({"name": "Bob"})).await;
        for (path, kind, body) in [
            (format!("/{tenant}/API/V1/getcontacts?pageSize=1"), "", ""),
            (format!("/{tenant}/api/v1/getContacts"), "application/x-www-form-urlencoded", "pageSize=1"),
            (format!("/{tenant}/api/v1/getContacts"), "application/json-patch+json", "{\"pageSize\": 1}"),
            (format!("/{tenant}/api/v1/getContacts"), "text/json", "{\"pageSize\": \"1\"}"),
            (format!("/{tenant}/api/v1/getContacts"), "multipart/form-data; boundary=X",
                "--X\r\nContent-Disposition: form-data; name=\"pageSize\"\r\n\r\n1\r\n--X--\r\n"),
        ] {
            let mut builder = request("GET", &path, Some(&app.token));
            if !kind.is_empty() {
                builder = builder.header("content-type", kind);
            }
            let answer = app.send(builder.body(Body::from(body)).unwrap()).await;
            assert_eq!(names(&answer).len(), 1, "{path} {kind}");
        }
        let params = json!({"name": "Cleo", "customParams": "[{\"name\":\"a\",\"value\":\"1\"}]"});
        assert_eq!(add(&app, &app.token, "14155552673", params).await.json()["contact"]["customParams"][2]["value"], "1");
    }

    async fn bad_input_is_named_and_changes_nothing(app = World::with_api_token) {
        for query in ["pageSize=0", "pageNumber=-1", "pageNumber=x", "createdDate=2026-02-30", "attribute=[", "attribute=[{}]", &format!("name={}", "x".repeat(10_000))] {
            let answer = list(&app, &app.token, query).await;
            assert_eq!(answer.status, 400, "{query}");
            let named = answer.json()["parameter"].as_str().unwrap_or_default().to_owned();
            assert!(query.starts_with(named.split('[').next().unwrap()), "{query}: {}", answer.text);
        }
        let failed = add(&app, &app.token, "11111111111", json!({"name": "x"})).await;
        assert_eq!((failed.status.as_u16(), &failed.json()["result"]), (200, &json!(false)));
        for body in [json!({"name": "x".repeat(10_000)}), json!({"customParams": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]})] {
            let failed = add(&app, &app.token, "14155552671", body).await.json();
            assert_eq!(failed["result"], false);
        }
        assert_eq!(add(&app, &app.token, "14155552671", json!({"customParams": [{"name": 1}]})).await.status, 400);
        assert!(names(&list(&app, &app.token, "").await).is_empty());
    }

    async fn the_older_list_counts_its_pages_from_zero(test) {
        let app = World::on(test).with_token(&["service_integration:write", "contacts:read"]).await;
        for (n, name) in ["Ada", "Bob", "Cleo"].iter().enumerate() {
            add(&app, &app.token, &format!("1415555010{n}"), json!({"name": name})).await;
        }
        let items = |answer: Answer| -> Vec<String> {
            assert_eq!(answer.status, 200, "{}", answer.text);
            let items = answer.json()["result"]["items"].as_array().unwrap().clone();
            items.iter().map(|item| item["firstName"].as_str().unwrap().to_owned()).collect()
        };
        for (body, expected) in [
            (json!({}), vec!["Cleo", "Bob", "Ada"]),
            (json!({"pageSize": 2}), vec!["Cleo", "Bob"]),
            (json!({"pageSize": 2, "pageNumber": 0}), vec!["Cleo", "Bob"]),
            (json!({"pageSize": "2", "pageNumber": "1"}), vec!["Ada"]),
            (json!({"pageNumber": 7}), vec![]),
        ] {
            assert_eq!(items(v1(&app, &app.token, "contacts", body.clone()).await), expected, "{body}");
        }
        for (body, parameter) in [
            (json!({"pageSize": 0}), "pageSize"),
            (json!({"pageNumber": -1}), "pageNumber"),
            (json!({"pageNumber": [1]}), "pageNumber"),
        ] {
            let answer = v1(&app, &app.token, "contacts", body).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].clone()), (400, json!(parameter)));
        }
        let one = v1(&app, &app.token, "contacts", json!({"pageSize": 1})).await.json();
        insta::allow_duplicates! { insta::assert_json_snapshot!("items", normalized(one)); }
    }

    async fn attributes_of_one_contact_are_changed_by_name(test) {
        let app = World::on(test).with_token(&["service_integration:write"]).await;
        add(&app, &app.token, "14155552671", json!({"name": "Ada", "customParams": [{"name": "city", "value": "Bern"}]})).await;
        let params = json!({"customParams": [{"name": "city", "value": "Berlin"}, {"name": "tier", "value": "gold"}]});
        let changed = v1(&app, &app.token, "updateContactAttributes/+14155552671", params.clone()).await;
        assert_eq!(changed.status, 200);
        insta::allow_duplicates! { insta::assert_json_snapshot!("changed", normalized(changed.json())); }
        let unknown = v1(&app, &app.token, "updateContactAttributes/14155552699", params).await;
        assert_eq!(unknown.status, 200);
        insta::allow_duplicates! { insta::assert_json_snapshot!("unknown", unknown.json()); }
    }

    async fn the_number_is_found_wherever_it_stands_and_target_wins(app = World::with_api_token) {
        let ada = add(&app, &app.token, "14155552671", json!({"name": "Ada"})).await.json()["contact"].clone();
        add(&app, &app.token, "14155552672", json!({"name": "Bob"})).await;
        let id = ada["id"].as_str().unwrap();
        let form = "application/x-www-form-urlencoded";
        for (operation, kind, body) in [
            ("updateContactAttributes?whatsappNumber=14155552671".to_owned(), "", String::new()),
            ("updateContactAttributes?whatsappNumber=+14155552671".to_owned(), "", String::new()),
            ("updateContactAttributes?whatsappNumber=%2B1%20415%20555%202671".to_owned(), "", String::new()),
            ("updateContactAttributes".to_owned(), form, "whatsappNumber=%2B14155552671".to_owned()),
            ("updateContactAttributes".to_owned(), "text/json", json!({"whatsappNumber": 14_155_552_671_u64}).to_string()),
            ("updateContactAttributes".to_owned(), "application/json", json!({"target": id, "whatsappNumber": "14155552672"}).to_string()),
            (format!("updateContactAttributes?target=Shop%3A{id}&whatsappNumber=14155552672"), "", String::new()),
            (format!("updateContactAttributes/14155552672?target={}", ada["bsuid"].as_str().unwrap()), "", String::new()),
            ("updateContactAttributes/14155552672".to_owned(), form, "target=14155552671".to_owned()),
            ("updateContactAttributes/Shop%3A+14155552671".to_owned(), "", String::new()),
            ("updateContactAttributes/%2B1-415-555-2671".to_owned(), "", String::new()),
            ("addContact?whatsappNumber=+14155552671".to_owned(), "", String::new()),
            ("addContact".to_owned(), "application/json", json!({"whatsappNumber": "1 (415) 555-2671"}).to_string()),
            ("addContact?target=14155552671&whatsappNumber=14155552672".to_owned(), "", String::new()),
            (format!("addContact/14155552672?target={id}"), "", String::new()),
        ] {
            let mut builder = request("POST", &format!("/{}/api/v1/{operation}", app.tenant()), Some(&app.token));
            if !kind.is_empty() {
                builder = builder.header("content-type", kind);
            }
            let answer = app.send(builder.body(Body::from(body)).unwrap()).await;
            assert_eq!(answer.status, 200, "{operation}: {}", answer.text);
            assert_eq!(answer.json()["contact"]["id"], id, "{operation} {kind}: {}", answer.text);
        }
        for operation in ["addContact", "updateContactAttributes", "addContact?whatsappNumber=%20"] {
            let missing = v1(&app, &app.token, operation, json!({"name": "x"})).await;
            assert_eq!((missing.status.as_u16(), missing.json()["parameter"].clone()), (400, json!("whatsappNumber")));
        }
        assert_eq!(names(&list(&app, &app.token, "").await).len(), 2);
    }

    async fn attributes_of_many_contacts_are_changed_or_none(test) {
        let app = World::on(test).with_token(&["contacts:write"]).await;
        for (n, name) in ["Ada", "Bob", "Cleo"].iter().enumerate() {
            add(&app, &app.token, &format!("1415555010{n}"), json!({"name": name})).await;
        }
        let many = "updateContactAttributesForMultiContacts";
        let entry = |number: &str, value: &str| json!({"whatsappNumber": number, "customParams": [{"name": "tier", "value": value}]});
        let target = json!({"target": "14155550101", "whatsappNumber": "14155550102", "customParams": [{"name": "tier", "value": "b"}]});
        let changed = v1(&app, &app.token, many, json!({"contacts": [entry("+14155550100", "a"), target]})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("many", normalized(changed.json())); }
        for (contacts, info) in [
            (json!([entry("14155550100", "x"), entry("14155550199", "x")]), "contacts[1].whatsappNumber: there is no such contact"),
            (json!([entry("14155550100", "x"), {"target": "14155550199"}]), "contacts[1].target: there is no such contact"),
            (json!([entry("14155550100", "x"), entry("11111111111", "x")]), "contacts[1].whatsappNumber: 11111111111 is not a valid"),
            (json!([entry("14155550100", "x"), {"target": "ada"}]), "contacts[1].target: expected a phone number"),
            (json!([entry("14155550100", "x"), {"target": "14155550101", "customParams": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]}]), "contacts[1].customParams[1].name: \"a\" appears twice"),
            (json!([entry("14155550100", &"x".repeat(5000))]), "contacts[0].customParams[0].value: expected at most 4096"),
            (json!([]), "contacts: expected 1 to 1000"),
            (Value::Array(vec![entry("14155550100", "x"); 1001]), "contacts: expected 1 to 1000"),
        ] {
            let answer = v1(&app, &app.token, many, json!({"contacts": contacts})).await;
            assert_eq!(answer.status, 200, "{info}: {}", answer.text);
            assert_eq!(answer.json()["result"], false);
            assert!(answer.json()["info"].as_str().unwrap().starts_with(info), "{info}: {}", answer.text);
        }
        for (body, parameter) in [
            (json!({}), "contacts"),
            (json!({"contacts": {}}), "contacts"),
            (json!({"contacts": [{"customParams": []}]}), "contacts[0].whatsappNumber"),
            (json!({"contacts": [{"target": {}}]}), "contacts[0].target"),
            (json!({"contacts": [entry("14155550100", "x"), {"target": "14155550100", "customParams": [{"name": "a"}]}]}), "contacts[1].customParams[0].value"),
        ] {
            let answer = v1(&app, &app.token, many, body).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].clone()), (400, json!(parameter)), "{}", answer.text);
        }
        let tier = format!("attribute={}", encoded(&json!([{"name": "tier", "operator": "=="  , "value": "a"}])));
        assert_eq!(names(&list(&app, &app.token, &tier).await), ["Ada"]);
        let thousand = v1(&app, &app.token, many, json!({"contacts": vec![entry("14155550102", "c"); 1000]})).await;
        assert_eq!(thousand.json()["contact_list"].as_array().unwrap().len(), 1000);
    }
}
