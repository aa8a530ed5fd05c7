//! Every POST and PUT of V1, V2 and V3 accepts a key and says so in the document, but for those of the sandbox and
//! those whose answers are secrets.

use app::Command;
use axum::body::Body;
use domain::identity::roles::Role;
use serde_json::Value;
use testkit::world::request;
use testkit::{Engine, World};

/// Operations whose answers are secrets.
const SECRET: [(&str, &str); 3] = [
    ("post", "/{tenantId}/api/v1/rotateToken"),
    ("post", "/api/ext/v3/webhooks"),
    ("post", "/api/ext/v3/webhooks/{id}/rotate-secret"),
];

fn is_secret(method: &str, path: &str) -> bool {
    SECRET.contains(&(method, path))
}

fn takes_key(method: &str, path: &str) -> bool {
    let of_the_api = path.starts_with("/{tenantId}/api/") || path.starts_with("/api/ext/v3/");
    of_the_api
        && !path.starts_with("/api/ext/v3/sandbox/")
        && ["post", "put"].contains(&method)
        && !is_secret(method, path)
}

fn names_key(operation: &Value) -> bool {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key" && parameter["in"] == "header")
}

fn each_operation(mut visit: impl FnMut(&str, &str, &Value)) {
    let document = serde_json::from_str::<Value>(&api::openapi()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            visit(method, path, operation);
        }
    }
}

#[test]
fn the_document_says_which_operations_take_a_key() {
    let mut taking = 0;
    each_operation(|method, path, operation| {
        let takes = takes_key(method, path);
        taking += usize::from(takes);
        assert_eq!(names_key(operation), takes, "{method} {path}");
        let conflict = operation["responses"]["409"]["description"].as_str().unwrap_or_default();
        assert_eq!(
            conflict.contains("`idempotency_key_reused`, `idempotency_in_progress`."),
            takes,
            "{method} {path}: {conflict}"
        );
        let replayed = &operation["responses"]["200"]["headers"]["Idempotent-Replayed"];
        assert_eq!(replayed.is_object(), takes, "{method} {path}");
    });
    assert!(taking > 10, "{taking}");
}

/// Operations that accept keys refuse an invalid one, those whose answers are secrets refuse any, and all others ignore
/// it.
#[tokio::test]
async fn every_operation_that_takes_a_key_looks_at_it() {
    let app = World::with_sandbox(Engine::Sqlite).await;
    app.account(app.tenant(), "ada@example.com", Role::Administrator).await;
    let jwt = app.app.identity().tokens().legacy(&Command(app.tenant()), "ada@example.com").await.unwrap();
    let mut all = Vec::new();
    each_operation(|method, path, _| all.push((method.to_owned(), path.to_owned())));
    for (method, path) in all {
        let filled = path.replace("{tenantId}", &app.tenant().to_string()).replace(['{', '}'], "");
        let request = request(&method.to_uppercase(), &filled, Some(&jwt)).header("idempotency-key", "no key");
        let answer = app.send(request.header("content-type", "application/json").body(Body::from("{}")).unwrap()).await;
        if answer.status == 403 {
            // The check of a feature that the tenant does not have comes first.
            continue;
        }
        let refused = answer.status == 400 && answer.json()["parameter"] == "Idempotency-Key";
        assert_eq!(
            refused,
            takes_key(&method, &path) || is_secret(&method, &path),
            "{method} {path}: {}",
            answer.status
        );
    }
}
