//! Clients that record calls: each acknowledged call is an event that must be delivered. A call without an answer is
//! recorded again, at the next node.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Client, StatusCode};
use serde_json::json;
use tokio::sync::watch;

use super::reached;
use crate::http;
use crate::sending::nodes::Nodes;

const CONNECTIONS: usize = 8;
const PAUSE: Duration = Duration::from_millis(20);

pub struct Calls<'a> {
    nodes: &'a Nodes,
    token: &'a str,
    total: usize,
    /// Calls that are not recorded yet, and how often each was tried.
    waiting: Mutex<VecDeque<(usize, usize)>>,
    acknowledged: watch::Sender<usize>,
    again: Mutex<usize>,
}

pub fn name_of(number: usize) -> String {
    format!("call-{number}")
}

/// The number in a call's name.
pub fn number_of(name: &str) -> u64 {
    name.trim_start_matches("call-").parse().unwrap()
}

impl<'a> Calls<'a> {
    pub fn new(nodes: &'a Nodes, token: &'a str, numbers: Range<usize>) -> Self {
        let total = numbers.len();
        let waiting = Mutex::new(numbers.map(|number| (number, 0)).collect());
        Self { nodes, token, total, waiting, acknowledged: watch::Sender::new(0), again: Mutex::default() }
    }

    /// How often a call was recorded again because there was no answer.
    pub fn again(&self) -> usize {
        *self.again.lock().unwrap()
    }

    /// Records all calls, but is never more than about `ahead` calls ahead of the deliveries, of which a call has
    /// `each`.
    pub async fn make_all(&self, delivered: &watch::Sender<usize>, each: usize, ahead: usize) {
        join_all((0..CONNECTIONS).map(|_| self.make(delivered, each, ahead))).await;
        reached("calls are acknowledged", &self.acknowledged, self.total).await;
    }

    async fn make(&self, delivered: &watch::Sender<usize>, each: usize, ahead: usize) {
        let client = http();
        loop {
            let next = self.waiting.lock().unwrap().pop_front();
            let Some((number, times)) = next else { return };
            let behind = self.acknowledged.borrow().saturating_sub(ahead) * each;
            reached("events are delivered", delivered, behind).await;
            if self.record(&client, number, number + times).await {
                self.acknowledged.send_modify(|count| *count += 1);
            } else {
                *self.again.lock().unwrap() += 1;
                self.waiting.lock().unwrap().push_front((number, times + 1));
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Records a call; true when the whole answer arrived, which acknowledges the call.
    async fn record(&self, client: &Client, number: usize, turn: usize) -> bool {
        let call = json!({
            "call_id": name_of(number), "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let request = client.post(self.nodes.url(turn, "/api/ext/v3/calls")).bearer_auth(self.token).json(&call);
        let Ok(answer) = request.send().await else { return false };
        let status = answer.status();
        let Ok(text) = answer.text().await else { return false };
        assert_eq!(status, StatusCode::OK, "{text}");
        true
    }
}

/// Records some calls without waiting for deliveries.
pub async fn record(nodes: &Nodes, token: &str, numbers: Range<usize>) {
    let calls = Calls::new(nodes, token, numbers);
    calls.make_all(&watch::Sender::new(usize::MAX), 0, 0).await;
}
