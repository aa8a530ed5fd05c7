//! Random conversations, with and without opening hours.

use domain::Timestamp;
use domain::automation::targets::{Due, PromiseState, TargetClock, TargetConditions, TargetPolicy, due_times};
use proptest::prelude::*;

use super::count::{Fact, Life, STEP};
use crate::opening_hours::{at, daily};

/// Steps of one life: a day and a half.
const STEPS: usize = 36 * 60 * 60 / 12;

/// Facts at the beginnings of steps, in the order of time.
fn facts() -> impl Strategy<Value = Vec<(usize, Fact)>> {
    let fact = prop_oneof![
        4 => Just(Fact::PersonWrote),
        2 => Just(Fact::Answered),
        1 => Just(Fact::Snoozed),
        1 => Just(Fact::Woken),
        1 => Just(Fact::Resolved),
        1 => Just(Fact::Reopened),
    ];
    prop::collection::btree_map(0..STEPS, fact, 1..25).prop_map(|facts| facts.into_iter().collect())
}

fn apply(clock: TargetClock, fact: Fact, at: Timestamp) -> TargetClock {
    match fact {
        Fact::PersonWrote => clock.person_wrote(at),
        Fact::Answered => clock.answered(at),
        Fact::Snoozed => clock.snoozed(at),
        Fact::Woken => clock.woken(at),
        Fact::Resolved => clock.resolved(at),
        Fact::Reopened => clock.reopened(at),
    }
}

/// The count knows a time when it has passed.
fn by(time: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    time.filter(|time| *time <= now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if crate::pacing::long() { 10_000 } else { 60 }))]

    #[test]
    fn due_times_equal_a_count_of_every_step(
        facts in facts(),
        minutes in prop::array::uniform3(1_u32..600),
        has_hours in any::<bool>(),
        offset in 0..24 * 60_i64,
    ) {
        let schedule = has_hours.then(|| daily("Europe/Berlin", &["08:00-12:00", "12:30-17:00", "22:00-24:00"]));
        let [first, next, resolution] = minutes;
        let policy = TargetPolicy {
            name: "All".to_owned(),
            conditions: TargetConditions::default(),
            first_answer_minutes: Some(first),
            next_answer_minutes: Some(next),
            resolution_minutes: Some(resolution),
            only_open_hours: true,
        };
        // The clock goes back on the first night.
        let start = at("2026-10-24T06:00:00Z").plus_seconds(offset * 60);
        let mut clock = TargetClock::opened(start);
        let mut life = Life::new(schedule.as_ref(), resolution, next);
        let mut facts = facts.into_iter().peekable();
        for step in 0..STEPS {
            let now = start.plus_seconds(i64::try_from(step).unwrap() * STEP);
            let fact = facts.next_if(|(at, _)| *at == step);
            if let Some((_, fact)) = fact {
                life.apply(fact, first);
                clock = apply(clock, fact, now);
                prop_assert_eq!(&apply(clock.clone(), fact, now), &clock);
            }
            if fact.is_some() || step % 397 == 0 {
                let due = due_times(&clock, &policy, schedule.as_ref(), now);
                let promises = [due.first_answer, due.next_answer, due.resolution];
                prop_assert_eq!(promises.map(|due| due.map(|due| due.state)), life.states(), "states at {}", step);
                let waits = [life.first.as_ref(), life.next.as_ref(), Some(&life.resolution)];
                for (due, wait) in promises.iter().flatten().zip(waits.into_iter().flatten()) {
                    if due.state != PromiseState::Met {
                        prop_assert_eq!(by(due.at, now), wait.due_at);
                        prop_assert_eq!(by(due.soon_at, now), wait.soon_at);
                    }
                    prop_assert_eq!(due.is_soon, is_soon(due, now));
                }
            }
            life.pass(now);
        }
    }
}

fn is_soon(due: &Due, now: Timestamp) -> bool {
    due.state == PromiseState::Running && due.soon_at.is_some_and(|soon| soon <= now)
}
