//! V1 contacts over the wire, on both databases.
#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the report")]

use axum::body::Body;
use serde_json::{Value, json};
use testkit::application::{Answer, TestApp, request};

fn settled(mut answer: Value) -> Value {
    let contacts = match answer.get_mut("contact_list") {
        Some(Value::Array(list)) => list.iter_mut().collect::<Vec<_>>(),
        _ => answer.get_mut("contact").into_iter().collect(),
    };
    for contact in contacts {
        for member in ["id", "bsuid", "parentBsuid", "created", "lastUpdated"] {
            contact[member] = format!("[{member}]").into();
        }
    }
    answer
}

fn names(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let list = answer.json()["contact_list"].as_array().unwrap().clone();
    list.iter().map(|contact| contact["fullName"].as_str().unwrap().to_owned()).collect()
}

async fn add(app: &TestApp, token: &str, number: &str, body: Value) -> Answer {
    let tenant = app.tenant();
    app.post(&format!("/{tenant}/api/v1/addContact/{number}"), token, &body).await
}

async fn list(app: &TestApp, token: &str, query: &str) -> Answer {
    let tenant = app.tenant();
    app.get(&format!("/{tenant}/api/v1/getContacts?{query}"), token).await
}

testkit::both_databases! {
    async fn an_added_contact_and_a_page_have_the_documented_shapes(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["contacts:write"]).await;
        let body = json!({"name": "Ada Lovelace", "customParams": [{"name": "city", "value": "London"}]});
        let added = add(&app, &token, "+14155552671", body).await.json();
        assert!(added["contact"]["bsuid"].as_str().unwrap().starts_with("US."));
        assert!(added["contact"]["parentBsuid"].as_str().unwrap().starts_with("US.ENT."));
        insta::allow_duplicates! { insta::assert_json_snapshot!("added", settled(added)); }
        let mut page = list(&app, &token, "").await.json();
        assert_eq!(page["link"]["total"], 1);
        page["link"]["total"] = 1.into();
        insta::allow_duplicates! { insta::assert_json_snapshot!("page", settled(page)); }
    }

    async fn the_same_number_again_updates_and_keeps_its_bsuid(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        let first = add(&app, &token, "5511987654321", json!({"name": "Bia", "customParams": [{"name": "a", "value": "1"}]})).await.json();
        // Without the ninth digit it is the same line.
        let again = add(&app, &token, "551187654321", json!({"name": "Beatriz", "customParams": [{"name": "b", "value": "2"}]})).await.json();
        assert_eq!(first["contact"]["bsuid"], again["contact"]["bsuid"]);
        assert_eq!(again["contact"]["customParams"], json!([{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]));
        assert_eq!(names(&list(&app, &token, "").await), ["Beatriz"]);
    }

    async fn filters_and_pages(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        for (n, (name, city)) in [("Ada", "London"), ("Bob", "Berlin"), ("Cleo", "Bern"), ("Dan", "")].iter().enumerate() {
            let params = if city.is_empty() { json!([]) } else { json!([{"name": "city", "value": city}]) };
            add(&app, &token, &format!("1415555010{n}"), json!({"name": name, "customParams": params})).await;
            app.test.clock.advance(std::time::Duration::from_millis(5));
        }
        let today = app.app.now().to_rfc3339()[..10].to_owned();
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
            assert_eq!(names(&list(&app, &token, &query).await), expected, "{query}");
        }
        let link = list(&app, &token, "pageSize=2&pageNumber=1").await.json()["link"].clone();
        assert_eq!((&link["prevPage"], &link["total"]), (&Value::Null, &json!(4)));
        assert!(link["nextPage"].as_str().unwrap().ends_with("pageSize=2&pageNumber=2"));
    }

    async fn untidy_clients_are_understood(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        let tenant = app.tenant();
        add(&app, &token, "14155552671", json!({"name": "Ada"})).await;
        add(&app, &token, "14155552672", json!({"name": "Bob"})).await;
        for (path, kind, body) in [
            (format!("/{tenant}/API/V1/getcontacts?pageSize=1"), "", ""),
            (format!("/{tenant}/api/v1/getContacts"), "application/x-www-form-urlencoded", "pageSize=1"),
            (format!("/{tenant}/api/v1/getContacts"), "application/json-patch+json", "{\"pageSize\": 1}"),
            (format!("/{tenant}/api/v1/getContacts"), "text/json", "{\"pageSize\": \"1\"}"),
            (format!("/{tenant}/api/v1/getContacts"), "multipart/form-data; boundary=X",
                "--X\r\nContent-Disposition: form-data; name=\"pageSize\"\r\n\r\n1\r\n--X--\r\n"),
        ] {
            let mut builder = request("GET", &path, Some(&token));
            if !kind.is_empty() {
                builder = builder.header("content-type", kind);
            }
            let answer = app.send(builder.body(Body::from(body)).unwrap()).await;
            assert_eq!(names(&answer).len(), 1, "{path} {kind}");
        }
        let params = json!({"name": "Cleo", "customParams": "[{\"name\":\"a\",\"value\":\"1\"}]"});
        assert_eq!(add(&app, &token, "14155552673", params).await.json()["contact"]["customParams"][0]["value"], "1");
    }

    async fn bad_input_is_named_and_changes_nothing(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        for query in ["pageSize=0", "pageSize=101", "pageNumber=0", "pageNumber=x", "createdDate=2026-02-30", "attribute=[", "attribute=[{}]"] {
            let answer = list(&app, &token, query).await;
            assert_eq!(answer.status, 400, "{query}");
            let named = answer.json()["parameter"].as_str().unwrap_or_default().to_owned();
            assert!(query.starts_with(named.split('[').next().unwrap()), "{query}: {}", answer.text);
        }
        let failed = add(&app, &token, "11111111111", json!({"name": "x"})).await;
        assert_eq!((failed.status.as_u16(), &failed.json()["result"]), (200, &json!(false)));
        for body in [json!({"name": "x".repeat(10_000)}), json!({"customParams": [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]})] {
            let failed = add(&app, &token, "14155552671", body).await.json();
            assert_eq!(failed["result"], false);
        }
        assert_eq!(add(&app, &token, "14155552671", json!({"customParams": [{"name": 1}]})).await.status, 400);
        assert!(names(&list(&app, &token, "").await).is_empty());
    }
}

fn encoded(value: &Value) -> String {
    let hex = |out: String, byte: u8| out + &format!("%{byte:02x}");
    value.to_string().bytes().fold(String::new(), hex)
}
