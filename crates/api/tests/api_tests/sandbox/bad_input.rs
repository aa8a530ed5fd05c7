//! Refusals name the wrong member, and without a sandbox every operation answers `sandbox_off`.

use serde_json::{Value, json};
use testkit::database::TestDb;
use testkit::{Engine, World};

use crate::sandbox::{ADA, Driving as _, SANDBOX, assert_refused, developer, driver};

/// Method and path of every operation that drives the sandbox, from the OpenAPI document.
fn operations() -> Vec<(String, String)> {
    let document = serde_json::from_str::<Value>(&api::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let ours = paths.iter().filter(|(path, _)| path.starts_with(SANDBOX));
    let all = ours.flat_map(|(path, item)| {
        let path = path.replace("{person}", ADA).replace("{name}", "welcome").replace("{message}", "wamid.x");
        item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
    });
    all.collect()
}

testkit::both_databases! {
    async fn wrong_members_are_named(stage = driver) {
        let person = |act: &str| format!("people/{ADA}/{act}");
        for (path, body, parameter) in [
            ("people".to_owned(), json!({}), "name"),
            ("people".to_owned(), json!({"name": " "}), "name"),
            ("people".to_owned(), json!({"name": "A\u{0}"}), "name"),
            ("people".to_owned(), json!({"name": "Kim", "phone": "123"}), "phone"),
            ("people".to_owned(), json!({"name": "Kim", "username": "!"}), "username"),
            (person("say"), json!({}), "text"),
            (person("say"), json!({"text": ""}), "text"),
            (person("say"), json!({"text": 5}), "text"),
            (person("say"), json!({"text": "a", "image": {}}), "text"),
            (person("say"), json!({"location": {"latitude": 91, "longitude": 0}}), "location.latitude"),
            (person("say"), json!({"location": {"latitude": 1}}), "location.longitude"),
            (person("say"), json!({"reaction": "👍"}), "reply_to"),
            (person("tap"), json!({}), "button"),
            (person("tap"), json!({"button": "Yes"}), "button"),
            (person("open"), json!({"button": []}), "button"),
            (person("open"), json!({"report": "yes"}), "report"),
            (person("call"), json!({"seconds": 0}), "seconds"),
            (person("call"), json!({"missed": "yes"}), "missed"),
            (person("pay"), json!({"outcome": "stolen"}), "outcome"),
            (person("pay"), json!({"after_seconds": -1}), "after_seconds"),
            (person("pay"), json!({"after_seconds": 604_801}), "after_seconds"),
            (person("pay"), json!({"outcome": "lost", "after_seconds": 1}), "after_seconds"),
            (person("prefer"), json!({}), "marketing"),
            (person("prefer"), json!({"marketing": "stop"}), "marketing"),
            ("faults".to_owned(), json!({"kind": "fire"}), "kind"),
            ("faults".to_owned(), json!({"kind": "reset", "count": 0}), "count"),
            ("faults".to_owned(), json!({"kind": "reset", "code": 1}), "code"),
            ("faults".to_owned(), json!({"kind": "server_error", "status": 200}), "status"),
            ("faults".to_owned(), json!({"kind": "server_error", "status": 70_000}), "status"),
            ("faults".to_owned(), json!({"kind": "lookup_error", "status": 404}), "status"),
            ("templates/welcome/review".to_owned(), json!({}), "verdict"),
            ("templates/welcome/review".to_owned(), json!({"quality": "BLUE"}), "quality"),
            ("inject".to_owned(), json!({"value": {}}), "field"),
            ("inject".to_owned(), json!({"field": "", "value": {}}), "field"),
            ("inject".to_owned(), json!({"field": "messages", "value": []}), "value"),
        ] {
            assert_refused(&stage.attempt("POST", &path, &body).await, 400, parameter);
        }
        assert_refused(&stage.attempt("PUT", "scenario", &json!({"name": "wild"})).await, 400, "name");
        assert_refused(&stage.attempt("PUT", "number", &json!({"token": "lost"})).await, 400, "token");
        assert_refused(&stage.attempt("PUT", "number", &json!({"channel": "Nowhere"})).await, 400, "channel");
        assert_refused(&stage.attempt("POST", "media/forget", &json!({"id": "17"})).await, 400, "id");
        assert_refused(&stage.attempt("PUT", "scenario", &json!({"name": "quiet", "seed": -1})).await, 400, "seed");
        for limit in ["0", "501", "x"] {
            let answer = stage.attempt("GET", &format!("people/{ADA}/inbox?limit={limit}"), &Value::Null).await;
            assert_refused(&answer, 400, "limit");
        }
    }

    async fn what_is_not_there_is_not_found(stage = driver) {
        for person in ["14155550199", "US.1", "@nobody", "%00", "%F0%9F%92%A9", "507f1f77bcf86cd799439011"] {
            let answer = stage.attempt("POST", &format!("people/{person}/say"), &json!({"text": "Hello"})).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{person}");
        }
        let person = |act: &str| format!("people/{ADA}/{act}");
        assert_refused(&stage.attempt("POST", &person("say"), &json!({"text": "a", "channel": "None"})).await, 400, "channel");
        assert_refused(&stage.attempt("POST", &person("say"), &json!({"text": "a", "reply_to": "wamid.0"})).await, 404, "reply_to");
        assert_refused(&stage.attempt("POST", &person("tap"), &json!({"button": "0", "message": "wamid.0"})).await, 404, "message");
        assert_refused(&stage.attempt("POST", "templates/none/review", &json!({"verdict": "APPROVED"})).await, 404, "name");
        assert_eq!(stage.attempt("POST", &person("pay"), &json!({})).await.reason(), "not_found");
        let taken = stage.attempt("POST", "people", &json!({"name": "Twin", "phone": ADA})).await;
        assert_refused(&taken, 409, "phone");
    }
}

#[tokio::test]
async fn without_a_sandbox_every_operation_says_so() {
    let app = World::on(TestDb::sqlite().await);
    let jwt = developer(&app, app.tenant()).await;
    let operations = operations();
    assert_eq!(operations.len(), 20);
    for (method, path) in operations {
        let request = testkit::world::request(&method, &path, Some(&jwt)).header("content-type", "application/json");
        let answer = app.send(request.body("not even JSON".into()).unwrap()).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "sandbox_off"), "{method} {path}");
        assert!(answer.text.contains("sandbox.enabled"), "{}", answer.text);
    }
}

#[tokio::test]
async fn an_api_token_does_not_drive_whatever_its_scopes() {
    let stage = driver(Engine::Sqlite).await;
    let token = stage.token(stage.tenant(), &["api"]).await;
    for (method, path) in operations() {
        let request = testkit::world::request(&method, &path, Some(&token));
        let answer = stage.send(request.body("{}".into()).unwrap()).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (403, "role_denied"), "{method} {path}");
    }
}
