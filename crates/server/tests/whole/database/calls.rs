//! Clients that record calls, each until it is acknowledged, at any of several nodes.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::http;
use crate::kill::walk;
use crate::server::Server;

const CLIENTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(50);

pub struct Calls<'a> {
    nodes: &'a [Server],
    token: &'a str,
    waiting: Mutex<VecDeque<usize>>,
    /// Ids of acknowledged calls by name.
    acknowledged: Mutex<BTreeMap<String, String>>,
    count: watch::Sender<usize>,
    refused: Mutex<usize>,
}

impl<'a> Calls<'a> {
    pub fn new(nodes: &'a [Server], token: &'a str, numbers: Range<usize>) -> Self {
        Self {
            nodes,
            token,
            waiting: Mutex::new(numbers.collect()),
            acknowledged: Mutex::default(),
            count: watch::Sender::new(0),
            refused: Mutex::default(),
        }
    }

    pub async fn record_all(&self) {
        join_all((0..CLIENTS).map(|client| self.record_some(client))).await;
    }

    /// Waits until this many calls are acknowledged.
    pub async fn reached(&self, count: usize) {
        self.count.subscribe().wait_for(|reached| *reached >= count).await.unwrap();
    }

    pub fn acknowledged(&self) -> usize {
        *self.count.borrow()
    }

    /// How often a node answered that the database was away.
    pub fn refused(&self) -> usize {
        *self.refused.lock().unwrap()
    }

    async fn record_some(&self, client: usize) {
        let (http, mut turn) = (http(), client);
        loop {
            let Some(number) = self.waiting.lock().unwrap().pop_front() else { return };
            if !self.record(&http, number, turn).await {
                self.waiting.lock().unwrap().push_front(number);
                tokio::time::sleep(PAUSE).await;
            }
            turn += 1;
        }
    }

    /// Posts a call; true if it is acknowledged. A refusal must be 503, with the time to wait.
    async fn record(&self, client: &Client, number: usize, turn: usize) -> bool {
        let name = format!("call-{number}");
        let call = json!({
            "call_id": name, "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let url = self.nodes[turn % self.nodes.len()].url("/api/ext/v3/calls");
        let answer = client.post(url).bearer_auth(self.token).json(&call).send().await.unwrap();
        let (status, retry) = (answer.status().as_u16(), answer.headers().contains_key("retry-after"));
        let text = answer.text().await.unwrap();
        if status == 503 {
            assert!(retry, "{text}");
            *self.refused.lock().unwrap() += 1;
            return false;
        }
        assert_eq!(status, 200, "{text}");
        let id = serde_json::from_str::<Value>(&text).unwrap()["id"].as_str().unwrap().to_owned();
        self.acknowledged.lock().unwrap().insert(name, id);
        self.count.send_modify(|count| *count += 1);
        true
    }

    /// Checks that each acknowledged call exists under its id, and no call twice.
    pub async fn check(&self, total: usize) {
        let found = walk(&self.nodes[0], self.token).await;
        let by_name: BTreeMap<String, String> = found.iter().cloned().collect();
        assert_eq!((by_name.len(), found.len()), (total, total), "a call is missing or there twice");
        assert_eq!(by_name, *self.acknowledged.lock().unwrap());
    }
}
