//! Pacing: which due messages may leave now under the network's limits, and when the others may.
//!
//! Three limits: messages of a number in a second (`number.rs`), messages of a number to one person (`pairs.rs`), and
//! people to whom the portfolio, the network account with all its numbers, opens a conversation in a day (`people.rs`).
//! The pacer counts in memory and gets the time from its caller. It does not know where messages wait or how they are
//! sent; `app/src/messages/sender/claim.rs` uses it. After a restart only the counted people matter, and the caller
//! stores them.

mod ids;
mod number;
mod pairs;
mod people;
mod plan;

use crate::messages::Urgency;
use crate::rate::Bucket;
use crate::{ChannelId, ContactId, MessageId, TemplateId, Timestamp};
use ids::ByIds;
use number::Number;
use pairs::Pairs;
use people::{People, SlotCursors};

/// How fast a number may send. Zero switches a limit off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Messages of the number in any second.
    pub per_second: u32,
    /// Messages of the number to one person at once; after that one message every `pair_seconds` seconds.
    pub pair_burst: u32,
    pub pair_seconds: u32,
    /// People to whom the portfolio may open a conversation in any 24 hours; `None` switches the limit off.
    pub new_people: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_second: 80, pair_burst: 45, pair_seconds: 6, new_people: None }
    }
}

impl Limits {
    /// `None` where the limit of the pair is switched off.
    fn pair_bucket(&self) -> Option<Bucket> {
        Bucket::with_burst(self.pair_burst, self.pair_seconds)
    }
}

/// A message that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub id: MessageId,
    pub channel: ChannelId,
    pub contact: ContactId,
    pub urgency: Urgency,
    pub template: Option<TemplateId>,
    /// The message is sent outside of the window, so it would open a conversation.
    pub opens: bool,
}

/// What becomes of the candidates, by their index in the list. A candidate that is neither in `go` nor in `later` waits
/// for its number and stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub go: Vec<usize>,
    /// Held back by the limit of the pair, the portfolio or the template, and when to try again. The number has room
    /// for others meanwhile.
    pub later: Vec<(usize, Timestamp)>,
    /// When the first of the numbers that are held or at their limit has room again. `None`: all have room left.
    pub next: Option<Timestamp>,
    /// The people whom the portfolio counts because of `go`, and until when. The caller stores them for the node that
    /// takes over.
    pub people: Vec<(ContactId, Timestamp)>,
    /// Kept by the pacer when the plan is committed.
    cursors: SlotCursors,
}

/// The limits of one portfolio (network account), with all its numbers.
#[derive(Debug, Default)]
pub struct Pacer {
    channels: ByIds<ChannelId, Channel>,
    /// Stands for a number of which nothing is known: default limits, nothing sent.
    unknown: Channel,
    templates: ByIds<TemplateId, Timestamp>,
    people: People,
}

#[derive(Debug, Default)]
struct Channel {
    limits: Limits,
    held: Option<Timestamp>,
    number: Number,
    pairs: Pairs,
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

    /// Candidates are in the order in which they should leave. Nothing changes until the plan is committed.
    pub fn plan(&self, candidates: &[Candidate], now: Timestamp) -> Plan {
        plan::draw(self, candidates, now)
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
                self.people.note(candidate.contact, people::until(now));
            }
        }
        self.people.set_cursors(plan.cursors);
    }

    /// Nothing leaves over the number before `until`. Of two holds the one that ends later counts.
    pub fn hold_channel(&mut self, channel: ChannelId, until: Timestamp) {
        let held = &mut self.channel(channel).held;
        *held = Some(until).max(*held);
    }

    /// Nothing leaves to the person over the number before `until`.
    pub fn hold_pair(&mut self, channel: ChannelId, contact: ContactId, until: Timestamp) {
        self.channel(channel).pairs.hold(contact, until);
    }

    /// No message of the template leaves before `until`.
    pub fn hold_template(&mut self, template: TemplateId, until: Timestamp) {
        let held = self.templates.entry(template).or_insert(until);
        *held = until.max(*held);
    }

    /// Adds people whom the portfolio counts already, and until when: `people` of earlier plans.
    pub fn note_people(&mut self, people: impl IntoIterator<Item = (ContactId, Timestamp)>) {
        for (contact, until) in people {
            self.people.note(contact, until);
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
            channel.held = channel.held(now);
            channel.pairs.forget(now);
        }
    }

    fn channel(&mut self, channel: ChannelId) -> &mut Channel {
        self.channels.entry(channel).or_default()
    }
}

impl Channel {
    /// Until when nothing may leave over the number; none if it is not held.
    fn held(&self, now: Timestamp) -> Option<Timestamp> {
        self.held.filter(|until| *until > now)
    }
}

/// When a message with `ahead` messages of its number before it leaves, if only the number's limit holds them back.
pub fn estimate(limits: &Limits, ahead: u64, now: Timestamp) -> Timestamp {
    number::estimate(limits, ahead, now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

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
    fn forgetting_drops_what_is_over_and_keeps_what_still_holds() {
        let mut pacer = Pacer::new();
        pacer.hold_template(Id::from_bytes([3; 12]), NOW.plus_seconds(5));
        pacer.hold_channel(Id::from_bytes([1; 12]), NOW.plus_seconds(5));
        pacer.forget(NOW.plus_seconds(4));
        assert_eq!(pacer.plan(&[message(0)], NOW.plus_seconds(4)).next, Some(NOW.plus_seconds(5)));
        assert_eq!((pacer.templates.len(), pacer.channels.values().filter(|one| one.held.is_some()).count()), (1, 1));
        pacer.forget(NOW.plus_seconds(5));
        assert_eq!((pacer.templates.len(), pacer.channels.values().filter(|one| one.held.is_some()).count()), (0, 0));
    }

    #[test]
    fn a_hold_ends_in_the_instant_that_it_names() {
        for limits in [OFF, Limits::default()] {
            let mut pacer = Pacer::new();
            pacer.set_limits(Id::from_bytes([1; 12]), limits);
            pacer.hold_pair(Id::from_bytes([1; 12]), Id::from_bytes([2; 12]), NOW);
            pacer.hold_template(Id::from_bytes([3; 12]), NOW);
            pacer.hold_channel(Id::from_bytes([1; 12]), NOW);
            let before = NOW.plus_micros(-1);
            assert!(pacer.plan(&[message(0)], before).go.is_empty());
            let plan = pacer.plan(&[message(0)], NOW);
            assert_eq!((plan.go, plan.next), (vec![0], None), "{limits:?}");
        }
    }

    #[test]
    fn a_pair_that_is_held_waits_even_where_no_limit_is_set() {
        let mut pacer = Pacer::new();
        pacer.set_limits(Id::from_bytes([1; 12]), OFF);
        pacer.hold_pair(Id::from_bytes([1; 12]), Id::from_bytes([2; 12]), NOW.plus_micros(1));
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
