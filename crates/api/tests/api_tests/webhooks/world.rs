//! A tenant with a token, a receiver that records its deliveries, and events.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use testkit::application::{Answer, TestApp, request};
use testkit::database::TestDb;
use tokio::net::TcpListener;

pub const WEBHOOKS: &str = "/api/ext/v3/webhooks";
pub const EVENTS: &str = "/api/ext/v3/events";
pub const URL: &str = "https://example.com/hook";

pub struct World {
    pub app: TestApp,
    pub token: String,
}

impl World {
    pub async fn new(test: TestDb) -> Self {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["api"]).await;
        Self { app, token }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.app.get(path, &self.token).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.app.post(path, &self.token, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        let request = request("PUT", path, Some(&self.token)).header("content-type", "application/json");
        self.app.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.app.send(request("DELETE", path, Some(&self.token)).body(Body::empty()).unwrap()).await
    }

    /// Creates a webhook for `message` and `call.status`, with further members of the request in `more`.
    pub async fn webhook(&self, url: &str, more: Value) -> Value {
        let mut body = json!({"url": url, "eventTypes": ["message", "call.status"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = self.post(WEBHOOKS, &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()
    }

    /// Records a call, which appends one event, and numbers the log.
    pub async fn call(&self, n: u32) {
        let body = json!({
            "call_id": format!("pbx-{n}"), "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let recorded = self.post("/api/ext/v3/calls", &body).await;
        assert_eq!(recorded.status, 200, "{}", recorded.text);
        while self.app.app.events().number_log(self.app.tenant()).await.unwrap() {}
    }
}

/// A request that the receiver recorded.
#[derive(Debug, Clone)]
pub struct Got {
    pub headers: HeaderMap,
    pub body: String,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// Starts a server that answers every request with this status and records it. Returns its URL and the recorded
/// requests.
pub async fn receiver(status: u16, says: &'static str) -> (String, Arc<Mutex<Vec<Got>>>) {
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = got.clone();
    let keep = move |headers: HeaderMap, body: Bytes| {
        let body = String::from_utf8(body.to_vec()).unwrap();
        kept.lock().unwrap().push(Got { headers, body });
        std::future::ready((StatusCode::from_u16(status).unwrap(), says))
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let router = axum::Router::new().fallback(keep);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (format!("http://{address}/hook"), got)
}

/// Replaces values that differ from run to run.
pub fn normalized(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(normalized_text(text)),
        Value::Array(list) => list.iter().map(normalized).collect(),
        Value::Object(members) => {
            let normalize = |(name, value): (&String, &Value)| {
                let value = match name.as_str() {
                    "latency_ms" => json!(0),
                    "timestamp" | "webhook-timestamp" => json!("[seconds]"),
                    "webhook-signature" => json!("[signature]"),
                    "date" => json!("[date]"),
                    "user-agent" => json!("[version]"),
                    _ => normalized(value),
                };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(normalize).collect())
        }
        other => other.clone(),
    }
}

fn normalized_text(text: &str) -> String {
    let is_id = text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text {
        _ if is_id => "[id]".to_owned(),
        _ if text.starts_with("whsec_") => "[secret]".to_owned(),
        _ if text.starts_with("http://127.0.0.1:") => "[receiver]".to_owned(),
        _ if text.ends_with('Z') && domain::time::Moment::parse(text).is_ok() => "[time]".to_owned(),
        _ => text.to_owned(),
    }
}

macro_rules! golden {
    ($name:literal, $value:expr) => {
        insta::allow_duplicates! { insta::assert_json_snapshot!($name, crate::webhooks::world::normalized(&$value)); }
    };
}
pub(crate) use golden;
