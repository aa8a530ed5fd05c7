//! Hostile bodies are refused with the name of the member, and nothing is applied in part.

use axum::body::Body;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::request;

use crate::contacts::{CONTACTS, assert_refused, listed};

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn many(count: usize) -> Value {
    (0..count).map(|n| json!({"name": format!("a{n}"), "value": "1"})).collect()
}

testkit::both_databases! {
    async fn a_new_contact(app = World::with_api_token) {
        let long = "x".repeat(10_000);
        // Number, name, attributes; the member in V3's error; and the member in V1's error 400, empty if V1 answers 200
        // with `result: false`.
        for (number, name, params, member, shape) in [
            (json!("ada"), json!("x"), json!([]), "whatsapp_number", ""),
            (json!("1415555267a"), json!("x"), json!([]), "whatsapp_number", ""),
            (json!("11111111111"), json!("x"), json!([]), "whatsapp_number", ""),
            (json!("999"), json!("x"), json!([]), "whatsapp_number", ""),
            (json!("1".repeat(10_000)), json!("x"), json!([]), "whatsapp_number", ""),
            (json!("us.1"), json!("x"), json!([]), "whatsapp_number", ""),
            (json!(":14155552671"), json!("x"), json!([]), "whatsapp_number", ""),
            (json!("14155552671"), json!(long), json!([]), "name", ""),
            (json!("14155552671"), json!("a\u{7}b"), json!([]), "name", ""),
            (json!("14155552671"), json!("a\0b"), json!([]), "name", "name"),
            (json!("14155552671"), json!(["x"]), json!([]), "name", "name"),
            (json!("14155552671"), json!("x"), json!("city"), "custom_params", "customParams"),
            (json!("14155552671"), json!("x"), json!({"city": "Bern"}), "custom_params", "customParams"),
            (json!("14155552671"), json!("x"), json!([{"value": "1"}]), "custom_params[0].name", "customParams[0].name"),
            (json!("14155552671"), json!("x"), json!([{"name": "a"}]), "custom_params[0].value", "customParams[0].value"),
            (json!("14155552671"), json!("x"), json!([{"name": "a", "value": null}]), "custom_params[0].value", "customParams[0].value"),
            (json!("14155552671"), json!("x"), json!([{"name": "", "value": "1"}]), "custom_params[0].name", ""),
            (json!("14155552671"), json!("x"), json!([{"name": long, "value": "1"}]), "custom_params[0].name", ""),
            (json!("14155552671"), json!("x"), json!([{"name": "a", "value": long}]), "custom_params[0].value", ""),
            (json!("14155552671"), json!("x"), json!([{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]), "custom_params[1].name", ""),
            (json!("14155552671"), json!("x"), json!([{"name": "a", "value": "\0"}]), "custom_params[0].value", "customParams"),
            (json!("14155552671"), json!("x"), many(201), "custom_params", ""),
        ] {
            let body = json!({"whatsapp_number": number, "name": name, "custom_params": params});
            assert_refused(&app.post(CONTACTS, &body).await, 400, member);
            let body = json!({"whatsappNumber": number, "name": name, "customParams": params});
            let answer = app.post(&format!("/{}/api/v1/addContact", app.tenant()), &body).await;
            if shape.is_empty() {
                let member = member.replace("whatsapp_number", "whatsappNumber").replace("custom_params", "customParams");
                assert_eq!((answer.status.as_u16(), &answer.json()["result"]), (200, &json!(false)), "{member}: {}", answer.text);
                assert!(answer.json()["info"].as_str().unwrap().starts_with(&format!("{member}: ")), "{member}: {}", answer.text);
            } else {
                assert_refused(&answer, 400, shape);
            }
        }
        for (body, member) in [
            (json!({"name": "x"}), "whatsapp_number"),
            (json!({"whatsapp_number": "14155552671"}), "name"),
            (json!({"whatsapp_number": null, "name": "x"}), "whatsapp_number"),
            // V1 accepts a number as its text; V3 refuses it.
            (json!({"whatsapp_number": "14155552671", "name": "x", "custom_params": [{"name": "a", "value": 1}]}), "custom_params[0].value"),
            (json!({"whatsapp_number": 14_155_552_671_u64, "name": "x"}), "whatsapp_number"),
        ] {
            assert_refused(&app.post(CONTACTS, &body).await, 400, member);
        }
        assert!(listed(&app.get(CONTACTS).await).is_empty());
    }

    async fn attributes_that_do_not_fit_together(app = World::with_api_token) {
        let add = |params: Value| json!({"whatsapp_number": "14155552671", "name": "Ada", "custom_params": params});
        assert_eq!(app.post(CONTACTS, &add(many(200))).await.status, 200);
        let one_more = json!([{"name": "b", "value": "1"}]);
        assert_refused(&app.post(CONTACTS, &add(one_more.clone())).await, 400, "custom_params");
        let update = json!({"contacts": [{"target": "14155552671", "customParams": one_more}]});
        assert_refused(&app.put(CONTACTS, &update).await, 400, "contacts[0].customParams");
        let legacy = app.post(&format!("/{}/api/v1/updateContactAttributes/14155552671", app.tenant()), &json!({"customParams": one_more})).await;
        assert_eq!((legacy.status.as_u16(), &legacy.json()["result"]), (200, &json!(false)));
        let shown = app.get(&format!("{CONTACTS}/14155552671")).await.json();
        assert_eq!(shown["custom_params"].as_array().unwrap().len(), 200);
    }

    async fn bodies_that_are_no_json_of_ours(app = World::with_api_token) {
        let tenant = app.tenant();
        let operations = [
            ("POST", CONTACTS.to_owned()),
            ("PUT", CONTACTS.to_owned()),
            ("PUT", format!("{CONTACTS}/teams")),
            ("PUT", format!("{CONTACTS}/14155552671/consent")),
            ("POST", format!("{CONTACTS}/merges")),
            ("POST", format!("/{tenant}/api/v1/contacts")),
            ("POST", format!("/{tenant}/api/v1/addContact")),
            ("POST", format!("/{tenant}/api/v1/updateContactAttributes")),
            ("POST", format!("/{tenant}/api/v1/updateContactAttributesForMultiContacts")),
            ("POST", format!("/{tenant}/api/v1/createCustomSegment")),
        ];
        let deep = [
            nested(100_000),
            format!("{{\"custom_params\":{}}}", nested(100_000)),
            format!("{{\"contacts\":[{{\"customParams\":{}}}]}}", nested(1000)),
            format!("{{\"groups\":{}}}", nested(1000)),
        ];
        let bodies = ["[]", "1", "\"x\"", "{", "{\"a\":1}}", "{\"a\":\u{1}}", "nonsense"];
        for (method, path) in &operations {
            for body in bodies.iter().copied().chain(deep.iter().map(String::as_str)) {
                let builder = request(method, path, Some(&app.token)).header("content-type", "application/json");
                let answer = app.send(builder.body(Body::from(body.to_owned())).unwrap()).await;
                let shown: String = body.chars().take(40).collect();
                assert_eq!(answer.status, 400, "{method} {path} {shown}: {}", answer.text);
                assert!(answer.reason() == "invalid_body" || answer.reason() == "invalid_parameter", "{}", answer.text);
            }
            let builder = request(method, path, Some(&app.token)).header("content-type", "application/json");
            let large = app.send(builder.body(Body::from(vec![b' '; (1 << 20) + 1])).unwrap()).await;
            assert_eq!(large.status, 413, "{method} {path}");
            let builder = request(method, path, Some(&app.token)).header("content-type", "application/xml");
            let other = app.send(builder.body(Body::from("<a/>")).unwrap()).await;
            assert_eq!(other.status, 415, "{method} {path}");
            let builder = request(method, path, Some(&app.token)).header("content-type", "application/json");
            let bytes = app.send(builder.body(Body::from(b"{\"name\":\"\xff\"}".to_vec())).unwrap()).await;
            assert_eq!(bytes.status, 400, "{method} {path}");
        }
        assert!(listed(&app.get(CONTACTS).await).is_empty());
    }

    async fn paths_that_match_no_contact(app = World::with_api_token) {
        for target in ["x", "11111111111", "%00", "a%00b", "%F0%9F%98%80", ":14155552671", "14155552671:", "507F1f77bcf86cd799439011", "us.1", &"9".repeat(5000)] {
            let answer = app.get(&format!("{CONTACTS}/{target}")).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{target}");
            assert_eq!(app.delete(&format!("{CONTACTS}/{target}")).await.status, 404, "{target}");
        }
        assert_eq!(app.get(&format!("{CONTACTS}/%ff")).await.status, 400);
    }
}
