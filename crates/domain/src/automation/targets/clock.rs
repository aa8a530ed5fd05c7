//! What the promises about a conversation depend on.
//!
//! Facts come in the order of the event log, so their times rise. A fact that comes again, at once or after later ones,
//! changes nothing.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// When a conversation was opened, asked, answered, snoozed and resolved. Stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetClock {
    pub opened_at: Timestamp,
    /// The person's first message without an answer. Messages after a resolution start a new wait; if the conversation
    /// is reopened without one, the earlier wait goes on.
    pub waiting_since: Option<Timestamp>,
    pub first_answer: Option<Answer>,
    /// The latest answer after the first.
    pub next_answer: Option<Answer>,
    pub snoozes: Pauses,
    pub resolutions: Pauses,
    /// The latest answer or resolution: earlier messages ask for nothing.
    settled_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub asked_at: Timestamp,
    pub answered_at: Timestamp,
}

/// The times during which a conversation is snoozed or resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pauses {
    /// In order of time.
    pub past: Vec<Pause>,
    /// The beginning of the present one.
    pub since: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    pub from: Timestamp,
    pub to: Timestamp,
}

/// Most past snoozes, and most past resolutions, that are kept apart.
pub const MAX_PAUSES: usize = 64;

impl TargetClock {
    pub fn opened(at: Timestamp) -> Self {
        Self {
            opened_at: at,
            waiting_since: None,
            first_answer: None,
            next_answer: None,
            snoozes: Pauses::default(),
            resolutions: Pauses::default(),
            settled_at: None,
        }
    }

    #[must_use]
    pub fn person_wrote(mut self, at: Timestamp) -> Self {
        let is_settled = |time: Timestamp| self.settled_at.is_some_and(|settled| time < settled);
        if !is_settled(at) && self.waiting_since.is_none_or(is_settled) {
            self.waiting_since = Some(at);
        }
        self
    }

    /// An answer that counts: one of an operator.
    #[must_use]
    pub fn answered(mut self, at: Timestamp) -> Self {
        if let Some(asked_at) = self.waiting_since.filter(|since| *since <= at) {
            let answer = if self.first_answer.is_none() { &mut self.first_answer } else { &mut self.next_answer };
            *answer = Some(Answer { asked_at, answered_at: at });
            self.waiting_since = None;
            self.settled_at = self.settled_at.max(Some(at));
        }
        self
    }

    #[must_use]
    pub fn snoozed(mut self, at: Timestamp) -> Self {
        self.snoozes.begin(at);
        self
    }

    #[must_use]
    pub fn woken(mut self, at: Timestamp) -> Self {
        self.snoozes.end(at);
        self
    }

    #[must_use]
    pub fn resolved(mut self, at: Timestamp) -> Self {
        if self.resolutions.begin(at) {
            self.settled_at = self.settled_at.max(Some(at));
        }
        self
    }

    #[must_use]
    pub fn reopened(mut self, at: Timestamp) -> Self {
        self.resolutions.end(at);
        self
    }

    /// Whether the conversation is snoozed or resolved.
    pub const fn is_paused(&self) -> bool {
        self.snoozes.since.is_some() || self.resolutions.since.is_some()
    }
}

impl Pauses {
    /// False, and nothing changes, if a pause has begun already or the fact comes again.
    fn begin(&mut self, at: Timestamp) -> bool {
        let is_known = self.past.last().is_some_and(|pause| pause.from >= at || pause.to > at);
        let begins = self.since.is_none() && !is_known;
        if begins {
            self.since = Some(at);
        }
        begins
    }

    fn end(&mut self, at: Timestamp) {
        let Some(from) = self.since.filter(|since| *since <= at) else { return };
        self.since = None;
        self.past.push(Pause { from, to: at });
        // The state stays small: of very many pauses, the time between the first two counts as paused too.
        if self.past.len() > MAX_PAUSES {
            let first = self.past.remove(0);
            self.past[0].from = first.from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_seconds(1_776_000_000 + minute * 60)
    }

    #[test]
    fn the_first_message_without_an_answer_waits() {
        let clock = TargetClock::opened(at(0)).person_wrote(at(0)).person_wrote(at(3));
        assert_eq!(clock.waiting_since, Some(at(0)));
        let clock = clock.answered(at(5)).answered(at(6));
        assert_eq!((clock.waiting_since, clock.next_answer), (None, None));
        assert_eq!(clock.first_answer, Some(Answer { asked_at: at(0), answered_at: at(5) }));
        let clock = clock.person_wrote(at(7)).person_wrote(at(8)).answered(at(9));
        assert_eq!(clock.next_answer, Some(Answer { asked_at: at(7), answered_at: at(9) }));
        assert_eq!(clock.first_answer, Some(Answer { asked_at: at(0), answered_at: at(5) }));
    }

    #[test]
    fn a_message_of_the_business_answers_nothing_before_the_person_has_written() {
        let clock = TargetClock::opened(at(0)).answered(at(0)).person_wrote(at(4));
        assert_eq!((clock.first_answer, clock.waiting_since), (None, Some(at(4))));
    }

    #[test]
    fn a_message_after_a_resolution_starts_a_new_wait() {
        let resolved = TargetClock::opened(at(0)).person_wrote(at(0)).resolved(at(2));
        assert_eq!((resolved.waiting_since, resolved.is_paused()), (Some(at(0)), true));
        let by_hand = resolved.clone().reopened(at(8));
        assert_eq!((by_hand.waiting_since, by_hand.is_paused()), (Some(at(0)), false));
        for asked in [
            resolved.clone().person_wrote(at(9)).reopened(at(9)),
            resolved.reopened(at(9)).person_wrote(at(9)),
            by_hand.person_wrote(at(9)),
        ] {
            assert_eq!(asked.clone().person_wrote(at(10)).waiting_since, Some(at(9)));
            assert_eq!(asked.resolutions.past[0].from, at(2));
        }
    }

    #[test]
    fn a_fact_that_comes_again_changes_nothing() {
        type Fact = fn(TargetClock, Timestamp) -> TargetClock;
        let story: [(Fact, i64); 12] = [
            (TargetClock::person_wrote, 1),
            (TargetClock::snoozed, 2),
            (TargetClock::woken, 4),
            (TargetClock::answered, 5),
            (TargetClock::resolved, 6),
            (TargetClock::reopened, 8),
            (TargetClock::person_wrote, 8),
            (TargetClock::resolved, 9),
            (TargetClock::person_wrote, 12),
            (TargetClock::reopened, 12),
            (TargetClock::snoozed, 13),
            (TargetClock::answered, 14),
        ];
        let mut clock = TargetClock::opened(at(0));
        for (i, (fact, minute)) in story.iter().enumerate() {
            clock = fact(clock, at(*minute));
            for (again, minute) in &story[..=i] {
                assert_eq!(again(clock.clone(), at(*minute)), clock, "fact at {minute} after {i}");
            }
        }
        assert_eq!(clock.next_answer, Some(Answer { asked_at: at(12), answered_at: at(14) }));
        let stored = serde_json::to_string(&clock).unwrap();
        assert_eq!(serde_json::from_str::<TargetClock>(&stored).unwrap(), clock);
    }

    #[test]
    fn a_snooze_may_begin_when_the_last_one_ends() {
        let clock = TargetClock::opened(at(0)).snoozed(at(1)).woken(at(2)).snoozed(at(2));
        assert_eq!(clock.snoozes.since, Some(at(2)));
        let empty = TargetClock::opened(at(0)).snoozed(at(1)).woken(at(1)).snoozed(at(1));
        assert_eq!(empty.snoozes.since, None);
        let unknown = TargetClock::opened(at(0)).woken(at(1)).reopened(at(1));
        assert_eq!(unknown, TargetClock::opened(at(0)));
    }

    #[test]
    fn very_many_pauses_are_joined() {
        let many = i64::try_from(MAX_PAUSES).unwrap() + 1;
        let snooze = |clock: TargetClock, i| clock.snoozed(at(2 * i)).woken(at(2 * i + 1));
        let clock = (0..many).fold(TargetClock::opened(at(0)), snooze);
        assert_eq!(clock.snoozes.past.len(), MAX_PAUSES);
        assert_eq!(clock.snoozes.past[0], Pause { from: at(0), to: at(3) });
    }
}
