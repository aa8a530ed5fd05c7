//! A seeded story: the bodies that the network posts, and the state that must follow from them, whatever the order in
//! which the server processes them.

use std::collections::BTreeMap;

use domain::calls::CallDirection;
use domain::messaging::messages::MessageState;
use domain::{ChannelId, TenantId};
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use store::{Db, Statement, params};

use super::{ACCOUNT_ID, NUMBER, NUMBER_ID};

const PEOPLE: usize = 300;
/// Unix seconds, in the past, so that no time in a body lies after its arrival.
const BEGAN: i64 = 1_750_000_000;

#[derive(Debug)]
pub struct Story {
    pub bodies: Vec<Vec<u8>>,
    /// Indices of bodies in the order of posting; about a third of the bodies occur more than once.
    pub posts: Vec<usize>,
    pub outcome: Outcome,
}

/// The expected or stored state.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub messages: BTreeMap<String, MessageState>,
    /// Seconds of talk by call id.
    pub calls: BTreeMap<String, i64>,
    pub contacts: usize,
}

/// One element of `changes` in a body.
#[derive(Debug)]
struct Change {
    field: &'static str,
    value: Value,
}

struct StoryPerson {
    /// Every fourth person has none.
    phone: Option<String>,
    bsuid: String,
    number: usize,
}

struct StoryWriter {
    dice: SmallRng,
    changes: Vec<Change>,
    outcome: Outcome,
}

impl Story {
    /// A story with at least `events` events.
    pub fn new(seed: u64, events: usize) -> Self {
        let dice = SmallRng::seed_from_u64(seed);
        let mut writer = StoryWriter { dice, changes: Vec::new(), outcome: Outcome::default() };
        for number in 0..PEOPLE.min(events) {
            // Names both identities of the person, so that records with only one of them belong to one contact.
            writer.message(&StoryPerson::new(number), true);
        }
        while writer.changes.len() < events {
            writer.push_random();
        }
        writer.outcome.contacts = PEOPLE.min(events);
        writer.changes.shuffle(&mut writer.dice);
        let bodies = bodies(&writer.changes, &mut writer.dice);
        let posts = posts(bodies.len(), &mut writer.dice);
        Self { bodies, posts, outcome: writer.outcome }
    }
}

impl StoryPerson {
    fn new(number: usize) -> Self {
        let phone = (!number.is_multiple_of(4)).then(|| format!("1415555{:04}", 200 + number));
        Self { phone, bsuid: format!("US.{:020}", 71_000_000_000_000_000_usize + number), number }
    }

    fn profile(&self, whole: bool) -> Value {
        let mut contact = json!({"profile": {"name": format!("Person {}", self.number)}});
        if let Some(phone) = &self.phone {
            contact["wa_id"] = json!(phone);
        }
        if whole || self.phone.is_none() {
            contact["user_id"] = json!(self.bsuid);
        }
        contact
    }
}

impl StoryWriter {
    fn at(&mut self) -> i64 {
        BEGAN + self.dice.random_range(0..1_000_000)
    }

    fn push(&mut self, field: &'static str, list: &str, contact: Option<Value>, item: &Value) {
        let metadata = json!({"display_phone_number": NUMBER, "phone_number_id": NUMBER_ID});
        let mut value = json!({"messaging_product": "whatsapp", "metadata": metadata, list: [item]});
        if let Some(contact) = contact {
            value["contacts"] = json!([contact]);
        }
        self.changes.push(Change { field, value });
    }

    fn push_random(&mut self) {
        let who = StoryPerson::new(self.dice.random_range(0..PEOPLE));
        match self.dice.random_range(0..10) {
            0..5 => {
                let whole = self.dice.random();
                self.message(&who, whole);
            }
            5..8 => self.statuses(&who),
            _ => self.call(&who),
        }
    }

    fn message(&mut self, who: &StoryPerson, whole: bool) {
        let (id, at) = (format!("wamid.in-{:06}", self.changes.len()), self.at());
        let mut item =
            json!({"id": id, "timestamp": at.to_string(), "type": "text", "text": {"body": format!("Hello {at}")}});
        if let Some(phone) = &who.phone {
            item["from"] = json!(phone);
        }
        if whole || who.phone.is_none() {
            item["from_user_id"] = json!(who.bsuid);
        }
        self.outcome.messages.insert(id, MessageState::RECEIVED);
        self.push("messages", "messages", Some(who.profile(whole)), &item);
    }

    /// Some statuses of one sent message, sometimes with a failure.
    fn statuses(&mut self, who: &StoryPerson) {
        const COURSES: [&[&str]; 7] = [
            &["sent"],
            &["sent", "delivered"],
            &["sent", "delivered", "read"],
            &["delivered", "read"],
            &["failed"],
            &["sent", "failed"],
            &["failed", "delivered"],
        ];
        let (id, at) = (format!("wamid.out-{:06}", self.changes.len()), self.at());
        let course = *COURSES.choose(&mut self.dice).unwrap();
        for (late, word) in (0_i64..).zip(course) {
            let mut item = json!({"id": id, "status": word, "timestamp": (at + late).to_string()});
            let (by_phone, by_id) = self.dice.random::<(bool, bool)>();
            if let Some(phone) = who.phone.as_ref().filter(|_| by_phone || !by_id) {
                item["recipient_id"] = json!(phone);
            }
            if by_id || who.phone.is_none() {
                item["recipient_user_id"] = json!(who.bsuid);
            }
            if *word == "failed" {
                item["errors"] = json!([{"code": 131_026, "title": "Message undeliverable"}]);
            }
            self.push("messages", "statuses", None, &item);
        }
        let reached = course
            .iter()
            .map(|word| word.parse::<MessageState>().unwrap())
            .fold(MessageState::Unknown, MessageState::advanced);
        self.outcome.messages.insert(id, reached);
    }

    fn call(&mut self, who: &StoryPerson) {
        let (id, at) = (format!("wacid.{:06}", self.changes.len()), self.at());
        let talked = self.dice.random_range(-100..600_i64).max(0);
        let mut begin = json!({"id": id, "direction": "USER_INITIATED", "to": NUMBER, "from_user_id": who.bsuid});
        if let Some(phone) = &who.phone {
            begin["from"] = json!(phone);
        }
        let mut end = begin.clone();
        begin["event"] = json!("connect");
        begin["timestamp"] = json!(at.to_string());
        end["event"] = json!("terminate");
        end["timestamp"] = json!((at + 5 + talked).to_string());
        end["status"] = json!(if talked > 0 { "COMPLETED" } else { "FAILED" });
        if talked > 0 {
            end["start_time"] = json!((at + 5).to_string());
            end["end_time"] = json!((at + 5 + talked).to_string());
            end["duration"] = json!(talked);
        }
        self.outcome.calls.insert(id, talked);
        self.push("calls", "calls", Some(who.profile(true)), &begin);
        self.push("calls", "calls", None, &end);
    }
}

/// Bodies of 1 to 50 changes each, mostly of few.
fn bodies(changes: &[Change], dice: &mut SmallRng) -> Vec<Vec<u8>> {
    let (mut left, mut bodies) = (changes, Vec::new());
    while !left.is_empty() {
        let most = if dice.random_ratio(1, 4) { 50 } else { 5 };
        let (some, rest) = left.split_at(dice.random_range(1..=most.min(left.len())));
        let changes: Vec<Value> = some.iter().map(|one| json!({"field": one.field, "value": one.value})).collect();
        let entry = json!({"id": ACCOUNT_ID, "time": BEGAN + 2_000_000, "changes": changes});
        let body = json!({"object": "whatsapp_business_account", "entry": [entry]});
        bodies.push(body.to_string().into_bytes());
        left = rest;
    }
    bodies
}

/// Each body once, about a third of them two or three times, shuffled.
fn posts(bodies: usize, dice: &mut SmallRng) -> Vec<usize> {
    let mut posts = Vec::new();
    for index in 0..bodies {
        let copies = if dice.random_ratio(1, 3) { dice.random_range(2..=3) } else { 1 };
        posts.extend(std::iter::repeat_n(index, copies));
    }
    posts.shuffle(dice);
    posts
}

impl Outcome {
    /// The state in a database. Fails when a message or call is stored twice.
    pub async fn found(db: &Db, tenant: TenantId, channel: ChannelId) -> Self {
        static CONTACTS: Statement =
            Statement::new("test.contacts", "SELECT COUNT(*) FROM contacts WHERE tenant_id = $1");
        let rows = store::messaging::messages::of_channel(db, tenant, channel, "", i64::MAX).await.unwrap();
        assert!(rows.iter().all(|row| row.contact_id.is_some()), "a message has no contact");
        let count = rows.len();
        let messages: BTreeMap<_, _> = rows.into_iter().map(|row| (row.network_id.unwrap(), row.state)).collect();
        assert_eq!(messages.len(), count, "a message is there twice");
        let calls = calls(db, tenant).await;
        let contacts = db.row(&CONTACTS, params![tenant], store::read::<i64>).await.unwrap().unwrap();
        assert_eq!(store::people::contacts::count(db, tenant).await.unwrap().contacts, contacts, "the counter");
        Self { messages, calls, contacts: usize::try_from(contacts).unwrap() }
    }

    /// The first few differences.
    pub fn differences(&self, found: &Self) -> Vec<String> {
        let mut all: Vec<String> = differing(&self.messages, &found.messages);
        all.extend(differing(&self.calls, &found.calls));
        if self.contacts != found.contacts {
            all.push(format!("{} people are {} contacts", self.contacts, found.contacts));
        }
        all
    }
}

fn differing<T: PartialEq + std::fmt::Debug>(
    expected: &BTreeMap<String, T>,
    found: &BTreeMap<String, T>,
) -> Vec<String> {
    let names = expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name)));
    let wrong = names.filter(|name| expected.get(*name) != found.get(*name));
    wrong.take(10).map(|name| format!("{name}: {:?} became {:?}", expected.get(name), found.get(name))).collect()
}

async fn calls(db: &Db, tenant: TenantId) -> BTreeMap<String, i64> {
    let (mut calls, mut count) = (BTreeMap::new(), 0);
    let filter = domain::calls::CallFilter { limit: i64::MAX, ..domain::calls::CallFilter::default() };
    let mut visit = |listed: store::calls::ListedCall<'_>| {
        let call: Value = serde_json::from_str(listed.doc).unwrap();
        assert_eq!(call["direction"], json!(CallDirection::Inbound.name()));
        calls.insert(call["call_id"].as_str().unwrap().to_owned(), call["duration_seconds"].as_i64().unwrap());
        count += 1;
        Ok(())
    };
    store::calls::list(db, tenant, &filter, &mut visit).await.unwrap();
    assert_eq!(calls.len(), count, "a call is there twice");
    calls
}
