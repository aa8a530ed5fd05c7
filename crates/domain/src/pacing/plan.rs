//! Drawing a plan: the candidates are judged one after the other, each as if those before it had left.

use super::ids::ByIds;
use super::pairs::Bucket;
use super::{Candidate, Channel, Pacer, Plan, people};
use crate::{ChannelId, ContactId, Timestamp};

struct Draft<'a> {
    pacer: &'a Pacer,
    now: Timestamp,
    /// How many there are.
    candidates: usize,
    /// The numbers met so far: few, and mostly the next candidate's is the last one met.
    numbers: Vec<Number<'a>>,
    /// When the buckets that were touched are full, in microseconds, those who wait for them included; by the number's
    /// place and the person.
    full_at: ByIds<(usize, ContactId), i64>,
    people: people::Draft<'a>,
    plan: Plan,
}

struct Number<'a> {
    id: ChannelId,
    channel: &'a Channel,
    room: usize,
    going: usize,
}

pub fn draw(pacer: &Pacer, candidates: &[Candidate], now: Timestamp) -> Plan {
    let mut draft = Draft::new(pacer, candidates.len(), now);
    for (place, candidate) in candidates.iter().enumerate() {
        draft.judge(place, candidate);
    }
    draft.finish()
}

impl<'a> Draft<'a> {
    fn new(pacer: &'a Pacer, candidates: usize, now: Timestamp) -> Self {
        let (numbers, full_at) = (Vec::new(), ByIds::default());
        Self { pacer, now, candidates, numbers, full_at, people: pacer.people.draft(now), plan: Plan::default() }
    }

    fn judge(&mut self, place: usize, candidate: &Candidate) {
        let number = self.number(candidate.channel);
        let Some(channel) = self.numbers.get(number).and_then(Number::with_room) else { return };
        match self.template(candidate).or_else(|| self.person(candidate, number, channel)) {
            Some(at) => self.plan.later.push((place, at)),
            None => self.go(place, number),
        }
    }

    fn go(&mut self, place: usize, number: usize) {
        self.plan.go.push(place);
        if let Some(number) = self.numbers.get_mut(number) {
            number.room -= 1;
            number.going += 1;
        }
    }

    fn number(&mut self, id: ChannelId) -> usize {
        self.numbers.iter().rposition(|number| number.id == id).unwrap_or_else(|| {
            let number = Number::meet(self.pacer, id, self.now);
            self.full_at.reserve(number.room.min(self.candidates));
            self.numbers.push(number);
            self.numbers.len() - 1
        })
    }

    fn template(&self, candidate: &Candidate) -> Option<Timestamp> {
        let held = self.pacer.templates.get(&candidate.template?)?;
        (*held > self.now).then_some(*held)
    }

    /// The pair and the portfolio. Whoever waits for the portfolio takes nothing from the bucket.
    fn person(&mut self, candidate: &Candidate, number: usize, channel: &Channel) -> Option<Timestamp> {
        let held = channel.pairs.held(candidate.contact).filter(|until| *until > self.now);
        let Some(bucket) = Bucket::of(&channel.limits) else {
            return held.or_else(|| self.portfolio(candidate, channel));
        };
        let pair = (number, candidate.contact);
        let touched = self.full_at.get(&pair).copied();
        let full_at = touched.unwrap_or_else(|| channel.pairs.full_at(candidate.contact, bucket, self.now));
        let gives = Timestamp::from_micros(bucket.gives_at(full_at)).max(held.unwrap_or(self.now));
        let portfolio = if gives > self.now { None } else { self.portfolio(candidate, channel) };
        if portfolio.is_none() {
            self.full_at.insert(pair, bucket.after(full_at, gives.max(self.now).micros()));
        }
        portfolio.or(Some(gives).filter(|gives| *gives > self.now))
    }

    fn portfolio(&mut self, candidate: &Candidate, channel: &Channel) -> Option<Timestamp> {
        let most = channel.limits.new_people.filter(|_| candidate.opens)?;
        let later = self.people.take(candidate.contact, candidate.urgency, most);
        if later.is_none() {
            self.plan.people.push((candidate.contact, people::until(self.now)));
        }
        later
    }

    fn finish(mut self) -> Plan {
        self.plan.next = self.numbers.iter().filter_map(|number| number.next(self.now)).min();
        self.plan.waiting = self.people.waiting;
        self.plan
    }
}

impl<'a> Number<'a> {
    fn meet(pacer: &'a Pacer, id: ChannelId, now: Timestamp) -> Self {
        let channel = pacer.channels.get(&id).unwrap_or(&pacer.unknown);
        let room = if channel.held(now).is_some() { 0 } else { channel.number.room(&channel.limits, now) };
        Self { id, channel, room, going: 0 }
    }

    fn with_room(&self) -> Option<&'a Channel> {
        (self.room > 0).then_some(self.channel)
    }

    /// When it has room again, if it has none left.
    fn next(&self, now: Timestamp) -> Option<Timestamp> {
        self.channel.held(now).max(self.channel.number.next(&self.channel.limits, now, self.going))
    }
}
