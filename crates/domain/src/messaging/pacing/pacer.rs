//! The pacer of one portfolio: what has left and what is paused. `draw.rs` plans with it.

use super::ids::ByIds;
use super::limits::Limits;
use super::number::Number;
use super::pairs::Pairs;
use super::people::{self, People};
use super::plan::{Candidate, Plan};
use crate::{ChannelId, ContactId, TemplateId, Timestamp};

/// The limits of one portfolio (network account), with all its numbers.
#[derive(Debug, Default)]
pub struct Pacer {
    pub(super) channels: ByIds<ChannelId, Channel>,
    /// Stands for a number of which nothing is known: default limits, nothing sent.
    pub(super) unknown: Channel,
    pub(super) templates: ByIds<TemplateId, Timestamp>,
    pub(super) people: People,
}

#[derive(Debug, Default)]
pub(super) struct Channel {
    pub(super) limits: Limits,
    paused_until: Option<Timestamp>,
    pub(super) number: Number,
    pub(super) pairs: Pairs,
}

impl Pacer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits of a number; before the first call it has the default limits. Messages that have left still
    /// count.
    pub fn set_limits(&mut self, channel: ChannelId, limits: Limits) {
        self.channel(channel).limits = limits;
    }

    /// Counts the messages in `go`. `now` is the plan's, or later if nothing was planned since.
    pub fn commit(&mut self, candidates: &[Candidate], plan: &Plan, now: Timestamp) {
        self.people.expire(now);
        for candidate in plan.go.iter().filter_map(|index| candidates.get(*index)) {
            let channel = self.channels.entry(candidate.channel).or_default();
            let limits = channel.limits;
            channel.number.count(now);
            channel.pairs.count(candidate.contact, &limits, now);
            if candidate.opens && limits.new_people.is_some() {
                self.people.count(candidate.contact, people::until(now));
            }
        }
        self.people.set_cursors(plan.cursors);
    }

    /// Nothing leaves over the number before `until`. Of two pauses the one that ends later counts.
    pub fn pause_channel(&mut self, channel: ChannelId, until: Timestamp) {
        let paused_until = &mut self.channel(channel).paused_until;
        *paused_until = Some(until).max(*paused_until);
    }

    /// Nothing leaves to the person over the number before `until`.
    pub fn pause_pair(&mut self, channel: ChannelId, contact: ContactId, until: Timestamp) {
        self.channel(channel).pairs.pause(contact, until);
    }

    /// No message of the template leaves before `until`.
    pub fn pause_template(&mut self, template: TemplateId, until: Timestamp) {
        let paused_until = self.templates.entry(template).or_insert(until);
        *paused_until = until.max(*paused_until);
    }

    /// Adds people whom the portfolio counts already, and until when: `people` of earlier plans.
    pub fn count_people(&mut self, people: impl IntoIterator<Item = (ContactId, Timestamp)>) {
        for (contact, until) in people {
            self.people.count(contact, until);
        }
    }

    /// How many people count towards the portfolio's limit.
    pub fn people(&self, now: Timestamp) -> usize {
        self.people.counted(now)
    }

    /// Drops what no longer limits anything and releases its memory. Commits drop it from time to time as well, and
    /// keep the memory.
    ///
    /// A counted person costs 20 to 40 bytes, and a pair 30 to 60 for as long as its bucket is not full.
    pub fn forget(&mut self, now: Timestamp) {
        self.people.forget(now);
        self.templates.retain(|_, until| *until > now);
        for channel in self.channels.values_mut() {
            channel.paused_until = channel.paused_until(now);
            channel.pairs.forget(now);
        }
    }

    fn channel(&mut self, channel: ChannelId) -> &mut Channel {
        self.channels.entry(channel).or_default()
    }
}

impl Channel {
    /// Until when nothing may leave over the number; none if it is not paused.
    pub(super) fn paused_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.paused_until.filter(|until| *until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::messaging::messages::Urgency;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);
    const OFF: Limits = Limits { per_second: 0, pair_burst: 0, pair_seconds: 0, new_people: None };

    fn message(which: u64) -> Candidate {
        Candidate {
            id: Id::seeded(NOW, which),
            channel: Id::from_bytes([1; 12]),
            contact: Id::from_bytes([2; 12]),
            urgency: Urgency::Service,
            template: Some(Id::from_bytes([3; 12])),
            opens: false,
        }
    }

    #[test]
    fn forgetting_drops_what_is_over_and_keeps_what_still_counts() {
        let mut pacer = Pacer::new();
        pacer.pause_template(Id::from_bytes([3; 12]), NOW.plus_seconds(5));
        pacer.pause_channel(Id::from_bytes([1; 12]), NOW.plus_seconds(5));
        pacer.forget(NOW.plus_seconds(4));
        assert_eq!(pacer.plan(&[message(0)], NOW.plus_seconds(4)).next, Some(NOW.plus_seconds(5)));
        assert_eq!(
            (pacer.templates.len(), pacer.channels.values().filter(|one| one.paused_until.is_some()).count()),
            (1, 1)
        );
        pacer.forget(NOW.plus_seconds(5));
        assert_eq!(
            (pacer.templates.len(), pacer.channels.values().filter(|one| one.paused_until.is_some()).count()),
            (0, 0)
        );
    }

    #[test]
    fn a_pause_ends_in_the_instant_that_it_names() {
        for limits in [OFF, Limits::default()] {
            let mut pacer = Pacer::new();
            pacer.set_limits(Id::from_bytes([1; 12]), limits);
            pacer.pause_pair(Id::from_bytes([1; 12]), Id::from_bytes([2; 12]), NOW);
            pacer.pause_template(Id::from_bytes([3; 12]), NOW);
            pacer.pause_channel(Id::from_bytes([1; 12]), NOW);
            let before = NOW.plus_micros(-1);
            assert!(pacer.plan(&[message(0)], before).go.is_empty());
            let plan = pacer.plan(&[message(0)], NOW);
            assert_eq!((plan.go, plan.next), (vec![0], None), "{limits:?}");
        }
    }

    #[test]
    fn a_pair_that_is_paused_waits_even_where_no_limit_is_set() {
        let mut pacer = Pacer::new();
        pacer.set_limits(Id::from_bytes([1; 12]), OFF);
        pacer.pause_pair(Id::from_bytes([1; 12]), Id::from_bytes([2; 12]), NOW.plus_micros(1));
        assert_eq!(pacer.plan(&[message(0)], NOW).later, [(0, NOW.plus_micros(1))]);
    }

    #[test]
    fn a_person_outside_of_the_window_waits_for_the_portfolio_and_takes_nothing_from_the_bucket() {
        let mut pacer = Pacer::new();
        let limits = Limits { pair_burst: 1, new_people: Some(0), ..Limits::default() };
        pacer.set_limits(Id::from_bytes([1; 12]), limits);
        let waiting = [Candidate { opens: true, ..message(0) }, message(1)];
        let plan = pacer.plan(&waiting, NOW);
        assert_eq!((plan.go, plan.later.len()), (vec![1], 1));
    }
}
