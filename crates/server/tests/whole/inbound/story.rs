//! A seeded story: what happened on the network, as the bodies that tell of it, and what must be known in the end. Must
//! not know how the server works it off.

use std::collections::BTreeMap;

use domain::calls::Direction as CallDirection;
use domain::messages::MessageState;
use domain::{ChannelId, TenantId};
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use store::{Db, Statement, params};

use super::{ACCOUNT_ID, NUMBER, NUMBER_ID};

const PEOPLE: usize = 300;
/// Long ago, so that nothing is told before it happens.
const BEGAN: i64 = 1_750_000_000;

#[derive(Debug)]
pub struct Story {
    pub bodies: Vec<Vec<u8>>,
    /// Places of bodies, in the order in which they are posted: a third of them more than once.
    pub posts: Vec<usize>,
    pub outcome: Outcome,
}

/// What is known of all that happened.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub messages: BTreeMap<String, MessageState>,
    /// Seconds of talk.
    pub calls: BTreeMap<String, i64>,
    pub contacts: usize,
}

/// One change of a body.
#[derive(Debug)]
struct Change {
    field: &'static str,
    value: Value,
}

struct Somebody {
    /// Every fourth shows none.
    phone: Option<String>,
    bsuid: String,
    number: usize,
}

struct Teller {
    dice: SmallRng,
    changes: Vec<Change>,
    outcome: Outcome,
}

impl Story {
    /// With at least so many events.
    pub fn told(seed: u64, events: usize) -> Self {
        let dice = SmallRng::seed_from_u64(seed);
        let mut teller = Teller { dice, changes: Vec::new(), outcome: Outcome::default() };
        for number in 0..PEOPLE.min(events) {
            // Whatever else is told of somebody by half of what they are known by, this leads it together.
            teller.message(&Somebody::new(number), true);
        }
        while teller.changes.len() < events {
            teller.something();
        }
        teller.outcome.contacts = PEOPLE.min(events);
        teller.changes.shuffle(&mut teller.dice);
        let bodies = bodies(&teller.changes, &mut teller.dice);
        let posts = posts(bodies.len(), &mut teller.dice);
        Self { bodies, posts, outcome: teller.outcome }
    }
}

impl Somebody {
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

impl Teller {
    fn at(&mut self) -> i64 {
        BEGAN + self.dice.random_range(0..1_000_000)
    }

    fn tell(&mut self, field: &'static str, list: &str, contact: Option<Value>, item: &Value) {
        let metadata = json!({"display_phone_number": NUMBER, "phone_number_id": NUMBER_ID});
        let mut value = json!({"messaging_product": "whatsapp", "metadata": metadata, list: [item]});
        if let Some(contact) = contact {
            value["contacts"] = json!([contact]);
        }
        self.changes.push(Change { field, value });
    }

    fn something(&mut self) {
        let who = Somebody::new(self.dice.random_range(0..PEOPLE));
        match self.dice.random_range(0..10) {
            0..5 => {
                let whole = self.dice.random();
                self.message(&who, whole);
            }
            5..8 => self.statuses(&who),
            _ => self.call(&who),
        }
    }

    fn message(&mut self, who: &Somebody, whole: bool) {
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
        self.tell("messages", "messages", Some(who.profile(whole)), &item);
    }

    /// Of one message of ours: some of its reports, and sometimes it fails.
    fn statuses(&mut self, who: &Somebody) {
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
            self.tell("messages", "statuses", None, &item);
        }
        let reached = course
            .iter()
            .map(|word| word.parse::<MessageState>().unwrap())
            .fold(MessageState::Unknown, MessageState::advanced);
        self.outcome.messages.insert(id, reached);
    }

    fn call(&mut self, who: &Somebody) {
        let (id, at) = (format!("wacid.{:06}", self.changes.len()), self.at());
        let talked = self.dice.random_range(-100..600_i64).max(0);
        let mut told = json!({"id": id, "direction": "USER_INITIATED", "to": NUMBER, "from_user_id": who.bsuid});
        if let Some(phone) = &who.phone {
            told["from"] = json!(phone);
        }
        let mut end = told.clone();
        told["event"] = json!("connect");
        told["timestamp"] = json!(at.to_string());
        end["event"] = json!("terminate");
        end["timestamp"] = json!((at + 5 + talked).to_string());
        end["status"] = json!(if talked > 0 { "COMPLETED" } else { "FAILED" });
        if talked > 0 {
            end["start_time"] = json!((at + 5).to_string());
            end["end_time"] = json!((at + 5 + talked).to_string());
            end["duration"] = json!(talked);
        }
        self.outcome.calls.insert(id, talked);
        self.tell("calls", "calls", Some(who.profile(true)), &told);
        self.tell("calls", "calls", None, &end);
    }
}

/// Of 1 to 50 changes each, mostly of few.
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

/// A third twice or three times, in no order.
fn posts(bodies: usize, dice: &mut SmallRng) -> Vec<usize> {
    let mut posts = Vec::new();
    for place in 0..bodies {
        let copies = if dice.random_ratio(1, 3) { dice.random_range(2..=3) } else { 1 };
        posts.extend(std::iter::repeat_n(place, copies));
    }
    posts.shuffle(dice);
    posts
}

impl Outcome {
    /// What a database knows. Fails where one thing is there twice.
    pub async fn found(db: &Db, tenant: TenantId, channel: ChannelId) -> Self {
        static CONTACTS: Statement =
            Statement::new("test.contacts", "SELECT COUNT(*) FROM contacts WHERE tenant_id = $1");
        let rows = store::messages::of_channel(db, tenant, channel, "", i64::MAX).await.unwrap();
        assert!(rows.iter().all(|row| row.contact_id.is_some()), "a message is nobody's");
        let count = rows.len();
        let messages: BTreeMap<_, _> = rows.into_iter().map(|row| (row.network_id.unwrap(), row.state)).collect();
        assert_eq!(messages.len(), count, "a message is there twice");
        let calls = calls(db, tenant).await;
        let contacts = db.row(&CONTACTS, params![tenant], |row| row.int(0)).await.unwrap().unwrap();
        assert_eq!(store::contacts::count(db, tenant).await.unwrap().contacts, contacts, "the counter");
        Self { messages, calls, contacts: usize::try_from(contacts).unwrap() }
    }

    /// The first few things that are not the same.
    pub fn differences(&self, found: &Self) -> Vec<String> {
        let mut all: Vec<String> = differing(&self.messages, &found.messages);
        all.extend(differing(&self.calls, &found.calls));
        if self.contacts != found.contacts {
            all.push(format!("{} people are {} contacts", self.contacts, found.contacts));
        }
        all
    }
}

fn differing<T: PartialEq + std::fmt::Debug>(told: &BTreeMap<String, T>, found: &BTreeMap<String, T>) -> Vec<String> {
    let names = told.keys().chain(found.keys().filter(|name| !told.contains_key(*name)));
    let wrong = names.filter(|name| told.get(*name) != found.get(*name));
    wrong.take(10).map(|name| format!("{name}: {:?} became {:?}", told.get(name), found.get(name))).collect()
}

async fn calls(db: &Db, tenant: TenantId) -> BTreeMap<String, i64> {
    let (mut calls, mut count) = (BTreeMap::new(), 0);
    let filter = domain::calls::CallFilter { limit: i64::MAX, ..domain::calls::CallFilter::default() };
    let visit = |listed: store::calls::Listed<'_>| {
        let call: Value = serde_json::from_str(listed.doc).unwrap();
        assert_eq!(call["direction"], json!(CallDirection::Inbound.name()));
        calls.insert(call["call_id"].as_str().unwrap().to_owned(), call["duration_seconds"].as_i64().unwrap());
        count += 1;
        Ok(())
    };
    store::calls::list(db, tenant, &filter, visit).await.unwrap();
    assert_eq!(calls.len(), count, "a call is there twice");
    calls
}
