//! `kill -9` under load: acknowledged calls exist after the restart, and none exists twice.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::home::Home;
use crate::server::Server;
use crate::{http, is_long};

const CONNECTIONS: usize = 16;
const KILLS: usize = 3;

/// Calls to record, and which of them are acknowledged.
struct Storm {
    token: String,
    /// Numbers of calls that are not sent yet, or not acknowledged.
    waiting: Mutex<VecDeque<usize>>,
    /// Ids of acknowledged calls by their call id.
    acknowledged: Mutex<BTreeMap<String, String>>,
    count: watch::Sender<usize>,
}

impl Storm {
    fn new(token: String, calls: usize) -> Self {
        let waiting = Mutex::new((0..calls).collect());
        Self { token, waiting, acknowledged: Mutex::default(), count: watch::Sender::new(0) }
    }

    fn start(self: &Arc<Self>, server: &Server) -> JoinSet<()> {
        let url = server.url("/api/ext/v3/calls");
        (0..CONNECTIONS).map(|_| self.clone().send_all(url.clone())).collect()
    }

    /// Posts until nothing waits or the server is gone. Unacknowledged calls wait for the next server.
    async fn send_all(self: Arc<Self>, url: String) {
        let client = http();
        loop {
            let Some(number) = self.waiting.lock().unwrap().pop_front() else { return };
            let Some(call) = self.send(&client, &url, number).await else {
                self.waiting.lock().unwrap().push_front(number);
                return;
            };
            let (name, id) = (call["call_id"].as_str().unwrap(), call["id"].as_str().unwrap());
            assert_eq!(name, name_of(number));
            let before = self.acknowledged.lock().unwrap().insert(name.to_owned(), id.to_owned());
            assert_eq!(before, None);
            self.count.send_modify(|count| *count += 1);
        }
    }

    /// Posts a call; `None` unless the whole answer arrived, which acknowledges the call.
    async fn send(&self, client: &Client, url: &str, number: usize) -> Option<Value> {
        let call = json!({
            "call_id": name_of(number), "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let answer = client.post(url).bearer_auth(&self.token).json(&call).send().await.ok()?;
        let status = answer.status();
        let text = answer.text().await.ok()?;
        assert_eq!(status, StatusCode::OK, "{text}");
        serde_json::from_str(&text).ok()
    }

    async fn reached(&self, count: usize) {
        self.count.subscribe().wait_for(|reached| *reached >= count).await.unwrap();
    }
}

fn name_of(number: usize) -> String {
    format!("storm-{number}")
}

/// All calls of the server, read page by page: call id and id, with repeats.
pub async fn walk(server: &Server, token: &str) -> Vec<(String, String)> {
    let (client, mut found, mut cursor) = (http(), Vec::new(), String::new());
    loop {
        let url = server.url(&format!("/api/ext/v3/calls?limit=100&cursor={cursor}"));
        let page: Value = client.get(url).bearer_auth(token).send().await.unwrap().json().await.unwrap();
        let text = |call: &Value, member: &str| call[member].as_str().unwrap().to_owned();
        found.extend(page["calls"].as_array().unwrap().iter().map(|call| (text(call, "call_id"), text(call, "id"))));
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return found,
        }
    }
}

/// Checks that acknowledged calls exist under their ids, and no call twice. Returns the number of stored calls.
async fn check(server: &Server, storm: &Storm) -> usize {
    let found = walk(server, &storm.token).await;
    let by_name: BTreeMap<String, String> = found.iter().cloned().collect();
    assert_eq!(by_name.len(), found.len(), "a call is there twice");
    for (name, id) in &*storm.acknowledged.lock().unwrap() {
        assert_eq!(by_name.get(name), Some(id), "{name} was acknowledged");
    }
    found.len()
}

async fn survives(home: Home) {
    let calls = if is_long() { 12_000 } else { 1_200 };
    let mut server = Server::start(&home);
    let storm = Arc::new(Storm::new(server.token(), calls));
    for kill in 1..=KILLS {
        let mut sending = storm.start(&server);
        tokio::select! {
            () = storm.reached(calls * kill / (KILLS + 1)) => {}
            ended = sending.join_next() => panic!("a sender ended before kill {kill}: {ended:?}"),
        }
        server.kill_9();
        sending.join_all().await;
        let acknowledged = *storm.count.borrow();
        assert!(acknowledged < calls, "the storm was over before kill {kill}");
        server = Server::start(&home);
        let stored = check(&server, &storm).await;
        assert!(stored <= acknowledged + CONNECTIONS * kill, "{stored} of {acknowledged} acknowledged calls");
    }
    storm.start(&server).join_all().await;
    assert_eq!(check(&server, &storm).await, calls);
    assert_eq!(*storm.count.borrow(), calls);
    drop(server);
    home.remove().await;
}

#[tokio::test]
async fn acknowledged_calls_survive_on_sqlite() {
    survives(Home::sqlite()).await;
}

#[tokio::test]
async fn acknowledged_calls_survive_on_postgres() {
    survives(Home::postgres().await).await;
}
