//! Clients that send messages. A request without an answer is repeated with the same idempotency key at the next node,
//! and must not have a second effect.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use store::Db;
use tokio::sync::watch;

use super::nodes::Nodes;
use super::story::{Amid, Call, Story};
use super::world::{self, TEMPLATE, phone};
use crate::http;

const SEND: &str = "/api/ext/v3/messageTemplates/send";
/// Clients pause while more messages than this are in the outbox, so that requests last until the end of the story.
const AHEAD: i64 = 250;
/// Clients pause when they are this many people ahead of the next event.
const AWAY: usize = 150;
/// With this many messages in flight, a kill hits some of them.
const MANY: i64 = 20;
/// Every call whose number is a multiple of this is repeated although it was answered.
const REPEATED: usize = 5;
/// The test fails if no call is answered for this time, which is far longer than the idempotency key of a killed node
/// is held.
const TIMEOUT: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(50);

pub struct Callers<'a> {
    pub story: &'a Story,
    pub nodes: &'a Nodes,
    pub token: &'a str,
    pub db: &'a Db,
    /// Numbers of unanswered calls, and how often each was sent.
    asked: Mutex<VecDeque<(usize, usize)>>,
    pub answers: Mutex<BTreeMap<usize, Value>>,
    /// Number of acknowledged recipients.
    acknowledged: watch::Sender<usize>,
    /// The next event of the story happens after this number of acknowledged recipients.
    next: AtomicUsize,
    pub again: Mutex<usize>,
    pub replayed: Mutex<usize>,
}

struct Answer {
    body: Value,
    is_replayed: bool,
}

impl<'a> Callers<'a> {
    pub fn new(story: &'a Story, nodes: &'a Nodes, token: &'a str, db: &'a Db) -> Self {
        Self {
            story,
            nodes,
            token,
            db,
            asked: Mutex::new((0..story.calls.len()).map(|number| (number, 0)).collect()),
            answers: Mutex::default(),
            acknowledged: watch::Sender::new(0),
            next: AtomicUsize::new(0),
            again: Mutex::default(),
            replayed: Mutex::default(),
        }
    }

    pub async fn acknowledged(&self, people: usize) {
        self.next.store(people, Ordering::Relaxed);
        let mut acknowledged = self.acknowledged.subscribe();
        loop {
            let before = *acknowledged.borrow_and_update();
            if before >= people {
                return;
            }
            let moved = tokio::time::timeout(TIMEOUT, acknowledged.changed()).await;
            assert!(moved.is_ok(), "seed {}: no call was answered since {before} people", self.story.seed);
        }
    }

    /// Waits until there is something to interrupt, or all messages have left.
    pub async fn reached(&self, amid: Amid) {
        self.next.store(usize::MAX, Ordering::Relaxed);
        while *self.acknowledged.borrow() < self.story.people || world::outbox(self.db).await > 0 {
            let is_now = match amid {
                Amid::Call => self.unheard().await > 0 || *self.acknowledged.borrow() == self.story.people,
                Amid::Sending => world::in_flight(self.db).await >= MANY,
            };
            if is_now {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Number of calls that took effect without an answer.
    pub async fn unheard(&self) -> usize {
        let stored = world::broadcasts(self.db).await;
        stored.saturating_sub(self.answers.lock().unwrap().len())
    }

    /// Sends calls on one connection until all recipients are acknowledged.
    pub async fn call_all(&self) {
        let client = http();
        while *self.acknowledged.borrow() < self.story.people {
            let next = self.asked.lock().unwrap().pop_front();
            let Some((number, times)) = next else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            self.wait_for_room().await;
            if let Some(answer) = self.call(&client, number, number + times).await {
                self.answered(&client, number, answer).await;
            } else {
                *self.again.lock().unwrap() += 1;
                self.asked.lock().unwrap().push_back((number, times + 1));
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    async fn wait_for_room(&self) {
        let is_away = || *self.acknowledged.borrow() > self.next.load(Ordering::Relaxed).saturating_add(AWAY);
        while is_away() || world::outbox(self.db).await > AHEAD {
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn answered(&self, client: &Client, number: usize, answer: Answer) {
        let people = &self.story.calls[number].people;
        self.check(number, &answer.body);
        *self.replayed.lock().unwrap() += usize::from(answer.is_replayed);
        let known = self.answers.lock().unwrap().insert(number, answer.body.clone());
        assert_eq!(known, None, "seed {}: call {number} was answered before", self.story.seed);
        self.acknowledged.send_modify(|count| *count += people.len());
        if number.is_multiple_of(REPEATED)
            && let Some(again) = self.call(client, number, number + 1).await
        {
            assert!(again.is_replayed, "seed {}: call {number} was done again", self.story.seed);
            assert_eq!(again.body, answer.body, "seed {}: call {number}", self.story.seed);
        }
    }

    /// Sends a call to the node number `turn`, counted round and round; `None` when its outcome is unknown.
    async fn call(&self, client: &Client, number: usize, turn: usize) -> Option<Answer> {
        let call = &self.story.calls[number];
        let request = client.post(self.nodes.url(turn, SEND)).bearer_auth(self.token);
        let answer = request.header("Idempotency-Key", &call.key).json(&self.body(call)).send().await.ok()?;
        let (status, is_replayed) = (answer.status(), answer.headers().contains_key("idempotent-replayed"));
        let text = answer.text().await.ok()?;
        if world::is_unknown(status, &text) {
            return None;
        }
        assert_eq!(status, StatusCode::OK, "seed {}: call {number}: {text}", self.story.seed);
        Some(Answer { body: serde_json::from_str(&text).unwrap(), is_replayed })
    }

    fn body(&self, call: &Call) -> Value {
        let recipient = |person: usize| {
            json!({
                "phone_number": phone(person), "local_message_id": self.story.name_of(person),
                "custom_params": [{"name": "1", "value": format!("person {person}")}],
            })
        };
        let recipients: Vec<Value> = call.people.clone().map(recipient).collect();
        json!({"template_name": TEMPLATE, "broadcast_name": call.key, "recipients": recipients})
    }

    /// Checks that all recipients were accepted.
    fn check(&self, number: usize, body: &Value) {
        let people = self.story.calls[number].people.clone();
        let accepted = body["recipients"].as_array().unwrap();
        assert_eq!(accepted.len(), people.len(), "seed {}: call {number}: {body}", self.story.seed);
        for (person, one) in people.zip(accepted) {
            let is_fine = one["errors"].as_array().is_none_or(Vec::is_empty);
            assert!(is_fine && one["local_message_id"] == self.story.name_of(person).as_str(), "{one}");
        }
    }
}
