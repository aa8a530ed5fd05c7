//! Counts messages against the limits as the network does. Each limit is counted in another way than the pacer does it.

use std::collections::{BTreeSet, HashMap, VecDeque};

use domain::messaging::pacing::{Candidate, Limits};
use domain::{ChannelId, ContactId, Timestamp};

use crate::pacing::{DAY, SECOND};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooFast {
    Second,
    Quarter,
    Pair,
    People,
}

#[derive(Debug)]
pub struct Meter {
    limits: Limits,
    /// For each number, the times in microseconds at which the messages of the last second left.
    numbers: HashMap<ChannelId, VecDeque<i64>>,
    /// For each number, the second of the clock in which its last message left, and the messages of that second: the
    /// sandbox counts in this way.
    seconds: HashMap<ChannelId, (i64, usize)>,
    /// For each number and person, the level of the bucket, in microseconds of refilling, and the time of that level.
    buckets: HashMap<(ChannelId, ContactId), (i64, i64)>,
    /// For each person, when a conversation was opened last.
    opened: HashMap<ContactId, i64>,
    by_time: BTreeSet<(i64, ContactId)>,
}

impl Meter {
    pub fn new(limits: Limits) -> Self {
        let (numbers, seconds, buckets) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { limits, numbers, seconds, buckets, opened: HashMap::new(), by_time: BTreeSet::new() }
    }

    /// Counts a message, or says which limit it breaks.
    pub fn pass(&mut self, message: &Candidate, now: Timestamp) -> Result<(), TooFast> {
        self.number(message.channel, now)?;
        self.pair(message, now)?;
        self.portfolio(message, now, 0)?;
        self.count(message, now.micros());
        Ok(())
    }

    pub fn number(&self, channel: ChannelId, now: Timestamp) -> Result<(), TooFast> {
        let (most, now) = (usize::try_from(self.limits.per_second).unwrap_or_default(), now.micros());
        let Some(sent) = self.numbers.get(&channel).filter(|_| most > 0) else { return Ok(()) };
        let within = |length: i64| sent.iter().rev().take_while(|sent| **sent > now - length).count();
        let seen =
            self.seconds.get(&channel).filter(|(second, _)| *second == now / SECOND).map_or(0, |(_, seen)| *seen);
        if within(SECOND) >= most || seen >= most {
            return Err(TooFast::Second);
        }
        if within(SECOND / 4) >= most.div_ceil(4) { Err(TooFast::Quarter) } else { Ok(()) }
    }

    pub fn pair(&self, message: &Candidate, now: Timestamp) -> Result<(), TooFast> {
        let enough = self.level(message, now.micros()) >= self.step();
        if self.limits.pair_burst == 0 || enough { Ok(()) } else { Err(TooFast::Pair) }
    }

    /// Counts a person for `slack` microseconds longer than a day, because the pacer counts in whole seconds.
    pub fn portfolio(&self, message: &Candidate, now: Timestamp, slack: i64) -> Result<(), TooFast> {
        let Some(most) = self.limits.new_people.filter(|_| message.opens) else { return Ok(()) };
        let since = now.micros() - DAY - slack;
        let over = self.by_time.iter().take_while(|(at, _)| *at <= since).count();
        let counts = self.opened.get(&message.contact).is_some_and(|at| *at > now.micros() - DAY);
        let room = self.by_time.len() - over < usize::try_from(most).unwrap_or_default();
        if counts || room { Ok(()) } else { Err(TooFast::People) }
    }

    fn step(&self) -> i64 {
        i64::from(self.limits.pair_seconds) * SECOND
    }

    fn level(&self, message: &Candidate, now: i64) -> i64 {
        let full = self.step() * i64::from(self.limits.pair_burst);
        let bucket = self.buckets.get(&(message.channel, message.contact));
        bucket.map_or(full, |(level, since)| (level + now - since).min(full))
    }

    fn count(&mut self, message: &Candidate, now: i64) {
        let sent = self.numbers.entry(message.channel).or_default();
        while sent.pop_front_if(|sent| *sent <= now - SECOND).is_some() {}
        sent.push_back(now);
        let (second, seen) = self.seconds.entry(message.channel).or_default();
        (*second, *seen) = (now / SECOND, if *second == now / SECOND { *seen + 1 } else { 1 });
        let level = self.level(message, now) - self.step();
        self.buckets.insert((message.channel, message.contact), (level, now));
        if message.opens && self.limits.new_people.is_some() {
            self.open(message.contact, now);
        }
    }

    fn open(&mut self, contact: ContactId, now: i64) {
        if let Some(before) = self.opened.insert(contact, now) {
            self.by_time.remove(&(before, contact));
        }
        self.by_time.insert((now, contact));
        while self.by_time.first().is_some_and(|(at, _)| *at <= now - DAY - SECOND) {
            self.by_time.pop_first();
        }
    }
}
