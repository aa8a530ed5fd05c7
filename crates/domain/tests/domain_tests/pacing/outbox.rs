//! A model of the outbox: waiting messages in the order of leaving, read in pages.

use std::collections::BTreeMap;

use domain::messaging::messages::Urgency;
use domain::messaging::pacing::{Candidate, Pacer, Plan};
use domain::{Id, MessageId, Timestamp};

type Key = (i64, Timestamp, MessageId);

#[derive(Debug, Default)]
pub struct Outbox {
    rows: BTreeMap<Key, Candidate>,
}

impl Outbox {
    pub fn enqueue(&mut self, message: Candidate, due: Timestamp) {
        self.rows.insert((message.urgency.rank(), due, message.id), message);
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The first messages that are due, at most `size`.
    pub fn page(&self, size: usize, now: Timestamp) -> (Vec<Key>, Vec<Candidate>) {
        let due = |urgency: &Urgency| self.rows.range(first(*urgency)..=last(*urgency, now));
        Urgency::ALL.iter().flat_map(due).take(size).map(|(key, message)| (*key, *message)).unzip()
    }

    /// When the next message is due.
    pub fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        let next = |urgency: &Urgency| {
            let (key, message) = self.rows.range(last(*urgency, now)..).next()?;
            (message.urgency == *urgency).then_some(key.1)
        };
        Urgency::ALL.iter().filter_map(next).min()
    }

    /// Removes the messages that go, and gives those for later their due time.
    pub fn apply(&mut self, keys: &[Key], plan: &Plan) {
        for place in &plan.go {
            self.rows.remove(&keys[*place]);
        }
        for (place, due) in &plan.later {
            if let Some(message) = self.rows.remove(&keys[*place]) {
                self.enqueue(message, *due);
            }
        }
    }

    /// Runs one round of the pacer and applies its plan. Returns the page that was read, and the plan.
    pub fn look(&mut self, pacer: &mut Pacer, size: usize, now: Timestamp) -> (Vec<Candidate>, Plan) {
        let (keys, page) = self.page(size, now);
        let plan = pacer.plan(&page, now);
        pacer.commit(&page, &plan, now);
        self.apply(&keys, &plan);
        (page, plan)
    }
}

fn first(urgency: Urgency) -> Key {
    (urgency.rank(), Timestamp::from_micros(i64::MIN), Id::from_bytes([0; 12]))
}

/// A key after those of all due messages of this urgency.
fn last(urgency: Urgency, now: Timestamp) -> Key {
    (urgency.rank(), now, Id::from_bytes([255; 12]))
}
