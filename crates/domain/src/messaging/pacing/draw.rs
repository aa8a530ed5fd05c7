//! Draws a plan: judges the candidates one after the other, each as if those before it had left.

use super::ids::ByIds;
use super::pacer::{Channel, Pacer};
use super::people;
use super::plan::{Candidate, Plan};
use crate::{ChannelId, ContactId, Timestamp};

struct PlanDraft<'a> {
    pacer: &'a Pacer,
    now: Timestamp,
    /// Number of candidates.
    candidates: usize,
    /// The phone numbers of the candidates so far. There are few, and the next candidate mostly has the same number as
    /// the last one.
    numbers: Vec<PlannedNumber<'a>>,
    /// When the buckets that the plan uses are full, with the messages that wait for them; by the index of the number
    /// and the person.
    full_at: ByIds<(usize, ContactId), Timestamp>,
    people: people::PeopleDraft<'a>,
    plan: Plan,
}

struct PlannedNumber<'a> {
    id: ChannelId,
    channel: &'a Channel,
    room: usize,
    going: usize,
}

impl Pacer {
    /// Candidates are in the order in which they should leave. Nothing changes until the plan is committed.
    pub fn plan(&self, candidates: &[Candidate], now: Timestamp) -> Plan {
        let mut draft = PlanDraft::new(self, candidates.len(), now);
        for (index, candidate) in candidates.iter().enumerate() {
            draft.judge(index, candidate);
        }
        draft.finish()
    }
}

impl<'a> PlanDraft<'a> {
    fn new(pacer: &'a Pacer, candidates: usize, now: Timestamp) -> Self {
        let (numbers, full_at) = (Vec::new(), ByIds::default());
        Self { pacer, now, candidates, numbers, full_at, people: pacer.people.draft(now), plan: Plan::default() }
    }

    fn judge(&mut self, index: usize, candidate: &Candidate) {
        let number = self.number(candidate.channel);
        let Some(channel) = self.numbers.get(number).and_then(PlannedNumber::with_room) else { return };
        match self.template(candidate).or_else(|| self.person(candidate, number, channel)) {
            Some(at) => self.plan.later.push((index, at)),
            None => self.go(index, number),
        }
    }

    fn go(&mut self, index: usize, number: usize) {
        self.plan.go.push(index);
        if let Some(number) = self.numbers.get_mut(number) {
            number.room -= 1;
            number.going += 1;
        }
    }

    fn number(&mut self, id: ChannelId) -> usize {
        self.numbers.iter().rposition(|number| number.id == id).unwrap_or_else(|| {
            let number = PlannedNumber::new(self.pacer, id, self.now);
            self.full_at.reserve(number.room.min(self.candidates));
            self.numbers.push(number);
            self.numbers.len() - 1
        })
    }

    fn template(&self, candidate: &Candidate) -> Option<Timestamp> {
        let paused_until = self.pacer.templates.get(&candidate.template?)?;
        (*paused_until > self.now).then_some(*paused_until)
    }

    /// The limits of the pair and of the portfolio. A message that waits for the portfolio takes nothing from the
    /// pair's bucket.
    fn person(&mut self, candidate: &Candidate, number: usize, channel: &Channel) -> Option<Timestamp> {
        let paused_until = channel.pairs.paused_until(candidate.contact).filter(|until| *until > self.now);
        let Some(bucket) = channel.limits.pair_bucket() else {
            return paused_until.or_else(|| self.portfolio(candidate, channel));
        };
        let pair = (number, candidate.contact);
        let touched = self.full_at.get(&pair).copied();
        let full_at = touched.unwrap_or_else(|| channel.pairs.full_at(candidate.contact, bucket, self.now));
        let gives = bucket.gives_at(full_at).max(paused_until.unwrap_or(self.now));
        let portfolio = if gives > self.now { None } else { self.portfolio(candidate, channel) };
        if portfolio.is_none() {
            self.full_at.insert(pair, bucket.after(full_at, gives.max(self.now)));
        }
        portfolio.or(Some(gives).filter(|gives| *gives > self.now))
    }

    fn portfolio(&mut self, candidate: &Candidate, channel: &Channel) -> Option<Timestamp> {
        let most = channel.limits.new_people.filter(|_| candidate.opens)?;
        let later = self.people.take_slot(candidate.contact, candidate.urgency, most);
        if later.is_none() {
            self.plan.people.push((candidate.contact, people::until(self.now)));
        }
        later
    }

    fn finish(mut self) -> Plan {
        self.plan.next = self.numbers.iter().filter_map(|number| number.next(self.now)).min();
        self.plan.cursors = self.people.cursors;
        self.plan
    }
}

impl<'a> PlannedNumber<'a> {
    fn new(pacer: &'a Pacer, id: ChannelId, now: Timestamp) -> Self {
        let channel = pacer.channels.get(&id).unwrap_or(&pacer.unknown);
        let room = if channel.paused_until(now).is_some() { 0 } else { channel.number.room(&channel.limits, now) };
        Self { id, channel, room, going: 0 }
    }

    fn with_room(&self) -> Option<&'a Channel> {
        (self.room > 0).then_some(self.channel)
    }

    /// When the number may send again; none while it has room.
    fn next(&self, now: Timestamp) -> Option<Timestamp> {
        self.channel.paused_until(now).max(self.channel.number.next(&self.channel.limits, now, self.going))
    }
}
