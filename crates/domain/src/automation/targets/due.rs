//! When promises are due.

use super::clock::{Answer, Pause, Pauses, TargetClock};
use super::policy::TargetPolicy;
use crate::Timestamp;
use crate::automation::opening_hours::Schedule;
use crate::base::named::named;

named! {
    /// A promise is paused while the conversation is snoozed or resolved, and missed from its due time on, also if it is
    /// kept later.
    PromiseState { Running => "running", Paused => "paused", Met => "met", Missed => "missed" }
}

/// One promise about a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    pub state: PromiseState,
    /// None while a pause lasts, unless the time was up before, and if the schedule is never open for so long.
    pub at: Option<Timestamp>,
    /// When a fifth of the time is left.
    pub soon_at: Option<Timestamp>,
    /// The promise is running and at most a fifth of the time is left.
    pub is_soon: bool,
}

/// None where the policy promises nothing, and for an answer that the person has not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DueTimes {
    pub first_answer: Option<Due>,
    pub next_answer: Option<Due>,
    pub resolution: Option<Due>,
}

/// When the promises of a policy are due, as of `now`. Time passes except during snoozes and while the conversation is
/// resolved, and with `only_open_hours` only while the schedule is open; without a schedule, all hours are open.
pub fn due_times(clock: &TargetClock, policy: &TargetPolicy, schedule: Option<&Schedule>, now: Timestamp) -> DueTimes {
    let timeline = Timeline {
        pauses: joined_pauses(&clock.snoozes, &clock.resolutions),
        schedule: schedule.filter(|_| policy.only_open_hours),
        is_paused: clock.is_paused(),
        now,
    };
    let promise = |minutes: Option<u32>, start: Option<(Timestamp, Option<Timestamp>)>| {
        let ((start, end), minutes) = (start?, minutes?);
        Some(timeline.due(start, end, minutes))
    };
    let given = |answer: &Answer| (answer.asked_at, Some(answer.answered_at));
    let waiting = clock.waiting_since.map(|since| (since, None));
    let (first, next) = match &clock.first_answer {
        None => (waiting, None),
        Some(first) => (Some(given(first)), waiting.or(clock.next_answer.as_ref().map(given))),
    };
    DueTimes {
        first_answer: promise(policy.first_answer_minutes, first),
        next_answer: promise(policy.next_answer_minutes, next),
        resolution: promise(policy.resolution_minutes, Some((clock.opened_at, clock.resolutions.since))),
    }
}

/// A pause that has not ended ends at the end of time.
fn joined_pauses(snoozes: &Pauses, resolutions: &Pauses) -> Vec<Pause> {
    let end_of_time = Timestamp::from_micros(i64::MAX);
    let present = |pauses: &Pauses| pauses.since.map(|from| Pause { from, to: end_of_time });
    let mut all: Vec<Pause> = snoozes.past.iter().chain(&resolutions.past).copied().collect();
    all.extend(present(snoozes).into_iter().chain(present(resolutions)));
    all.sort_unstable_by_key(|pause| pause.from);
    all
}

#[derive(Debug)]
struct Timeline<'s> {
    /// In the order of their beginnings; they may overlap.
    pauses: Vec<Pause>,
    /// None: time passes at all hours.
    schedule: Option<&'s Schedule>,
    is_paused: bool,
    now: Timestamp,
}

impl Timeline<'_> {
    /// The promise to do within `minutes` from `start` what was done at `end`.
    fn due(&self, start: Timestamp, end: Option<Timestamp>, minutes: u32) -> Due {
        let micros = i64::from(minutes) * 60_000_000;
        let (at, soon_at) = (self.after(start, end, micros), self.after(start, end, micros / 5 * 4));
        let is_over = at.is_some_and(|at| at <= end.unwrap_or(self.now));
        let state = match end {
            _ if is_over => PromiseState::Missed,
            Some(_) => PromiseState::Met,
            None if self.is_paused => PromiseState::Paused,
            None => PromiseState::Running,
        };
        let is_soon = state == PromiseState::Running && soon_at.is_some_and(|soon| soon <= self.now);
        Due { state, at, soon_at, is_soon }
    }

    /// When so much time has passed since `start`. Pauses that begin after `end` do not count: the due time of a kept
    /// promise stays.
    fn after(&self, start: Timestamp, end: Option<Timestamp>, micros: i64) -> Option<Timestamp> {
        let (mut from, mut left) = (start, micros);
        for pause in self.pauses.iter().filter(|pause| end.is_none_or(|end| pause.from < end)) {
            if pause.from > from {
                let passed = self.passed(from, pause.from);
                if passed >= left {
                    break;
                }
                left -= passed;
            }
            from = from.max(pause.to);
        }
        let at = match self.schedule {
            Some(schedule) => schedule.add_open_micros(from, left)?,
            None => from.plus_micros(left),
        };
        Some(at).filter(|at| at.micros() < i64::MAX)
    }

    fn passed(&self, from: Timestamp, to: Timestamp) -> i64 {
        self.schedule.map_or_else(|| to.micros() - from.micros(), |schedule| schedule.open_micros(from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automation::targets::TargetConditions;

    const START: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn at(minute: i64) -> Timestamp {
        START.plus_seconds(minute * 60)
    }

    fn policy() -> TargetPolicy {
        TargetPolicy {
            name: "All".to_owned(),
            conditions: TargetConditions::default(),
            first_answer_minutes: Some(10),
            next_answer_minutes: Some(20),
            resolution_minutes: Some(100),
            only_open_hours: false,
        }
    }

    fn opened() -> TargetClock {
        TargetClock::opened(at(0)).person_wrote(at(0))
    }

    /// State and due minute of a promise.
    fn brief(due: Option<Due>) -> Option<(&'static str, Option<i64>, bool)> {
        due.map(|due| (due.state.name(), due.at.map(|at| at.seconds_since(START) / 60), due.is_soon))
    }

    fn first(clock: &TargetClock, now: i64) -> Option<(&'static str, Option<i64>, bool)> {
        brief(due_times(clock, &policy(), None, at(now)).first_answer)
    }

    fn next(clock: &TargetClock, now: i64) -> Option<(&'static str, Option<i64>, bool)> {
        brief(due_times(clock, &policy(), None, at(now)).next_answer)
    }

    fn resolution(clock: &TargetClock, now: i64) -> Option<(&'static str, Option<i64>, bool)> {
        brief(due_times(clock, &policy(), None, at(now)).resolution)
    }

    #[test]
    fn a_first_answer_is_due_soon_then_met_or_missed() {
        for (now, state, is_soon) in [
            (0, "running", false),
            (7, "running", false),
            (8, "running", true),
            (9, "running", true),
            (10, "missed", false),
        ] {
            assert_eq!(first(&opened(), now), Some((state, Some(10), is_soon)), "{now}");
        }
        assert_eq!(first(&opened().answered(at(9)), 60), Some(("met", Some(10), false)));
        assert_eq!(first(&opened().answered(at(10)), 60), Some(("missed", Some(10), false)));
        assert_eq!(first(&TargetClock::opened(at(0)), 60), None);
        let none = TargetPolicy { first_answer_minutes: None, ..policy() };
        assert_eq!(due_times(&opened(), &none, None, at(1)).first_answer, None);
    }

    #[test]
    fn a_next_answer_is_promised_for_each_wait_after_the_first() {
        assert_eq!(next(&opened(), 5), None);
        let clock = opened().answered(at(5));
        assert_eq!(next(&clock, 6), None);
        let clock = clock.person_wrote(at(30)).person_wrote(at(40));
        assert_eq!(
            (next(&clock, 41), first(&clock, 41)),
            (Some(("running", Some(50), false)), Some(("met", Some(10), false)))
        );
        let clock = clock.answered(at(55));
        assert_eq!(next(&clock, 60), Some(("missed", Some(50), false)));
        assert_eq!(next(&clock.person_wrote(at(70)), 71), Some(("running", Some(90), false)));
    }

    #[test]
    fn a_snooze_and_a_resolution_stop_every_clock() {
        let snoozed = opened().snoozed(at(4));
        assert_eq!(
            (first(&snoozed, 90), resolution(&snoozed, 90)),
            (Some(("paused", None, false)), Some(("paused", None, false)))
        );
        let woken = snoozed.woken(at(24));
        assert_eq!(
            (first(&woken, 25), first(&woken, 28)),
            (Some(("running", Some(30), false)), Some(("running", Some(30), true)))
        );
        assert_eq!(resolution(&woken, 25), Some(("running", Some(120), false)));
        let resolved = woken.resolved(at(26));
        assert_eq!(
            (first(&resolved, 90), resolution(&resolved, 900)),
            (Some(("paused", None, false)), Some(("met", Some(120), false)))
        );
        let reopened = resolved.reopened(at(126));
        assert_eq!(
            (first(&reopened, 127), resolution(&reopened, 127)),
            (Some(("running", Some(130), false)), Some(("running", Some(220), false)))
        );
        assert_eq!(resolution(&reopened.resolved(at(230)), 240), Some(("missed", Some(220), false)));
        // What was missed before a pause stays missed in it.
        assert_eq!(first(&opened().snoozed(at(12)), 13), Some(("missed", Some(10), false)));
        // A snooze inside a resolution adds nothing.
        let both = opened().resolved(at(2)).snoozed(at(3)).woken(at(5)).reopened(at(12));
        assert_eq!(first(&both, 13), Some(("running", Some(20), false)));
    }

    #[test]
    fn only_open_hours_count_where_the_policy_asks_for_it() {
        // 1 776 000 000 is Sunday, 12 April 2026, 13:20 UTC.
        let spec = serde_json::json!({
            "name": "Office", "time_zone": "UTC", "periods": {"monday": [{"from": "09:00", "to": "12:00"}]},
        });
        let schedule = serde_json::from_value::<Schedule>(spec).unwrap();
        let open_hours = TargetPolicy { only_open_hours: true, ..policy() };
        let due = |policy: &TargetPolicy, schedule: Option<&Schedule>, clock: &TargetClock| {
            due_times(clock, policy, schedule, at(1)).first_answer.unwrap().at.unwrap().to_rfc3339()
        };
        assert_eq!(due(&open_hours, Some(&schedule), &opened()), "2026-04-13T09:10:00.000Z");
        assert_eq!(due(&policy(), Some(&schedule), &opened()), "2026-04-12T13:30:00.000Z");
        assert_eq!(due(&open_hours, None, &opened()), "2026-04-12T13:30:00.000Z");
        // Snoozed from 09:04 until 10:04, and over night.
        let morning = 19 * 60 + 40;
        let clock = opened().snoozed(at(5)).woken(at(600)).snoozed(at(morning + 4)).woken(at(morning + 64));
        assert_eq!(due(&open_hours, Some(&schedule), &clock), "2026-04-13T10:10:00.000Z");
        let never = serde_json::from_value::<Schedule>(serde_json::json!({"name": "x", "time_zone": "UTC"})).unwrap();
        let none = due_times(&opened(), &open_hours, Some(&never), at(1000)).first_answer.unwrap();
        assert_eq!((none.state, none.at, none.soon_at), (PromiseState::Running, None, None));
    }
}
