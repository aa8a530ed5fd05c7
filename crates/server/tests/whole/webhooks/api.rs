//! A client of the API that manages endpoints and reads deliveries and events, as a tenant's program would.

use jiff::Timestamp;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use super::CALL_STATUS;
use crate::sending::nodes::Nodes;
use crate::{eventually, http};

const WEBHOOKS: &str = "/api/ext/v3/webhooks";
const PAGE: usize = 100;

pub struct Api<'a> {
    nodes: &'a Nodes,
    token: &'a str,
    client: Client,
}

pub struct Webhook {
    pub id: String,
    pub secret: String,
}

/// An event of the log.
#[derive(Debug)]
pub struct Pulled {
    pub number: i64,
    pub id: String,
    pub kind: String,
    pub payload: Value,
}

/// A delivery that failed, with its last attempt.
#[derive(Debug)]
pub struct Failed {
    pub state: String,
    pub status: Option<i64>,
    pub error: String,
    pub excerpt: Option<String>,
    /// Time from the last attempt to the next one.
    pub pause_seconds: Option<i64>,
}

impl<'a> Api<'a> {
    pub fn new(nodes: &'a Nodes, token: &'a str) -> Self {
        Self { nodes, token, client: http() }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> (StatusCode, Value) {
        let request = self.client.request(method, self.nodes.url(0, path)).bearer_auth(self.token);
        let request = body.into_iter().fold(request, reqwest::RequestBuilder::json);
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask(Method::GET, path, None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        body
    }

    pub async fn try_create(&self, url: &str) -> (StatusCode, Value) {
        let request = json!({"url": url, "eventTypes": [CALL_STATUS]});
        self.ask(Method::POST, WEBHOOKS, Some(&request)).await
    }

    /// Creates an endpoint for events of calls.
    pub async fn create(&self, url: &str) -> Webhook {
        let (status, made) = self.try_create(url).await;
        assert_eq!(status, StatusCode::OK, "{made}");
        Webhook { id: text(&made["id"]), secret: text(&made["secret"]) }
    }

    pub async fn show(&self, id: &str) -> Value {
        self.get(&format!("{WEBHOOKS}/{id}")).await
    }

    /// Rotates the secret; returns the new one.
    pub async fn rotate(&self, id: &str) -> String {
        let (status, body) = self.ask(Method::POST, &format!("{WEBHOOKS}/{id}/rotate-secret"), None).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        text(&body["secret"])
    }

    /// All deliveries of an endpoint, newest first.
    pub async fn deliveries(&self, id: &str) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{WEBHOOKS}/{id}/deliveries?limit={PAGE}{cursor}")).await;
            all.extend(page["deliveries"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    /// Waits until there are at least `least` failed deliveries; returns them.
    pub async fn failed(&self, id: &str, least: usize) -> Vec<Failed> {
        let found = eventually("failures are recorded", async || {
            let mut found = self.deliveries(id).await;
            found.retain(|one| one["state"] != "delivered" && one["attempts"] != 0);
            (found.len() >= least).then_some(found)
        });
        let mut failed = Vec::new();
        for delivery in found.await {
            let delivery = self.get(&format!("{WEBHOOKS}/{id}/deliveries/{}", text(&delivery["id"]))).await;
            failed.push(failed_delivery(&delivery));
        }
        failed
    }

    /// The whole log of events.
    pub async fn pull(&self) -> Vec<Pulled> {
        let (mut all, mut after) = (Vec::<Pulled>::new(), 0);
        loop {
            let page = self.get(&format!("/api/ext/v3/events?after={after}&limit={PAGE}")).await;
            let events = page["events"].as_array().unwrap();
            if events.is_empty() {
                return all;
            }
            all.extend(events.iter().map(pulled));
            after = all.last().map_or(0, |event| event.number);
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}

fn pulled(event: &Value) -> Pulled {
    Pulled {
        number: event["number"].as_i64().unwrap(),
        id: text(&event["id"]),
        kind: text(&event["type"]),
        payload: event["payload"].clone(),
    }
}

fn failed_delivery(delivery: &Value) -> Failed {
    let last = delivery["attempt_log"].as_array().unwrap().last().unwrap();
    let time = |value: &Value| value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let next = time(&delivery["next_attempt"]).zip(time(&last["at"]));
    Failed {
        state: text(&delivery["state"]),
        status: last["response_status"].as_i64(),
        error: text(&last["error"]),
        excerpt: last["response_excerpt"].as_str().map(str::to_owned),
        pause_seconds: next.map(|(next, last)| next.as_second() - last.as_second()),
    }
}
