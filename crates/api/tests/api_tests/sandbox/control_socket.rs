//! The control socket: the sandbox operations without a credential, and nothing else.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use testkit::World;
use testkit::database::{TestDb, random_tenant};
use testkit::world::Answer;

use crate::sandbox::{ADA, Driving as _, SANDBOX, driver};

async fn locally(app: &World, method: &str, path: &str, tenant: Option<&str>, body: &Value) -> Answer {
    let mut builder = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if let Some(tenant) = tenant {
        builder = builder.header("x-switchboard-tenant", tenant);
    }
    app.send_locally(builder.body(Body::from(body.to_string())).unwrap()).await
}

testkit::both_databases! {
    async fn a_command_drives_the_tenant_that_it_names(stage = driver) {
        let tenant = stage.tenant().to_string();
        let people = locally(&stage, "GET", &format!("{SANDBOX}/people"), Some(&tenant), &json!(null)).await;
        assert_eq!(people.ok(), stage.read("people").await);
        assert!(people.headers.contains_key("x-request-id") && !people.headers.contains_key("ratelimit"));
        let path = format!("/API/ext/v3/Sandbox/people/{ADA}/Say");
        locally(&stage, "POST", &path, Some(&tenant), &json!({"text": "Hello"})).await.ok();
        assert_eq!(stage.journalled().await.len(), 1);
        let wrong = locally(&stage, "POST", &path, Some(&tenant), &json!({"text": 5})).await;
        assert_eq!((wrong.status.as_u16(), &wrong.json()["parameter"]), (400, &json!("text")));
    }

    async fn a_tenant_must_be_named_and_there(stage = driver) {
        let path = format!("{SANDBOX}/people");
        for wrong in [None, Some(""), Some("me"), Some("-1")] {
            let answer = locally(&stage, "GET", &path, wrong, &json!(null)).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (400, &json!("x-switchboard-tenant")), "{wrong:?}");
        }
        let unknown_tenant = random_tenant().to_string();
        let answer = locally(&stage, "GET", &path, Some(&unknown_tenant), &json!(null)).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"));
        assert!(answer.text.contains(&unknown_tenant), "{}", answer.text);
    }

    async fn nothing_but_the_sandbox_is_behind_it(stage = driver) {
        let tenant = stage.tenant().to_string();
        for path in ["/api/ext/v3/calls", "/healthz", "/metrics", "/api/openapi.json", "/hooks/whatsapp/507f1f77bcf86cd799439011", "/"] {
            let answer = locally(&stage, "GET", path, Some(&tenant), &json!(null)).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "route_not_found"), "{path}");
        }
        let wrong = locally(&stage, "DELETE", &format!("{SANDBOX}/people"), Some(&tenant), &json!(null)).await;
        assert_eq!((wrong.status.as_u16(), wrong.reason().as_str()), (405, "method_not_allowed"));
    }

    async fn its_header_has_no_effect_over_the_network(stage = driver) {
        let tenant = stage.tenant().to_string();
        let request = Request::get(format!("{SANDBOX}/people")).header("x-switchboard-tenant", tenant);
        let answer = stage.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (401, "token_missing"));
    }
}

#[tokio::test]
async fn without_a_sandbox_it_says_so() {
    let app = World::on(TestDb::sqlite().await);
    let tenant = app.tenant().to_string();
    let answer = locally(&app, "GET", &format!("{SANDBOX}/people"), Some(&tenant), &json!(null)).await;
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "sandbox_off"));
}
