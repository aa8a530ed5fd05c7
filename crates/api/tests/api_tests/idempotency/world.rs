//! What these tests share: requests with a key, and an operation whose effects can be counted.

use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use testkit::World;
use testkit::world::{Answer, request};

pub const CONTACTS: &str = "/api/ext/v3/contacts";
/// Each request that reaches this operation creates one import.
pub const IMPORT: &str = "/api/ext/v3/contacts/import";
pub const CSV: &str = "phone,name\n14155552671,Ada\n";

pub async fn token(app: &World) -> String {
    app.token(app.tenant(), &["api"]).await
}

pub fn keyed(path: &str, token: &str, key: &str, mime: &str, body: impl Into<Body>) -> Request<Body> {
    let request = request("POST", path, Some(token)).header("idempotency-key", key).header("content-type", mime);
    request.body(body.into()).unwrap()
}

/// Imports a file of contacts under a key.
pub async fn import(app: &World, token: &str, key: &str, body: impl Into<Body>) -> Answer {
    app.send(keyed(IMPORT, token, key, "text/csv", body)).await
}

pub async fn post(app: &World, path: &str, token: &str, key: &str, body: &Value) -> Answer {
    app.send(keyed(path, token, key, "application/json", body.to_string())).await
}

pub fn contact(name: &str) -> Value {
    json!({"whatsapp_number": "14155552671", "name": name})
}

/// How many imports the caller's tenant has.
pub async fn effects(app: &World, token: &str) -> usize {
    let all = app.by(token).get("/api/ext/v3/contacts/imports").await.json();
    all["imports"].as_array().unwrap().len()
}

#[track_caller]
pub fn assert_first(answer: &Answer) {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.headers.contains_key("idempotent-replayed"), "{}", answer.text);
}

#[track_caller]
pub fn assert_replay(answer: &Answer, first: &Answer) {
    assert_eq!(
        answer.headers.get("idempotent-replayed").map(HeaderValue::as_bytes),
        Some(&b"true"[..]),
        "{}",
        answer.text
    );
    assert_eq!((answer.status, &answer.text), (first.status, &first.text));
    assert_eq!(answer.headers.get("content-type"), first.headers.get("content-type"));
}

#[track_caller]
pub fn assert_refused(answer: &Answer, status: u16, reason: &str) {
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{}", answer.text);
    assert!(!answer.headers.contains_key("idempotent-replayed"));
}
