//! The measurements of a conversation against a calculation that looks at the whole list of facts again for each of
//! them.

use domain::platform::reports::{ConversationFact, ConversationProgress, ReportMeasure};
use domain::{AccountId, Id, Timestamp};
use proptest::prelude::*;

use ConversationFact::{Assigned, AutomationAnswered, Opened, OperatorAnswered, PersonWrote, Reopened, Resolved};

const START: Timestamp = Timestamp::from_seconds(1_776_000_000);

type Measured = (&'static str, Timestamp, Option<i64>);

fn operator() -> impl Strategy<Value = AccountId> {
    (1_u64..4).prop_map(|number| Id::seeded(START, number))
}

/// Facts with the time since the one before; several may happen at once.
fn facts() -> impl Strategy<Value = Vec<(Timestamp, ConversationFact)>> {
    let fact = prop_oneof![
        1 => Just(Opened),
        2 => Just(Reopened),
        6 => Just(PersonWrote),
        5 => operator().prop_map(OperatorAnswered),
        3 => Just(AutomationAnswered),
        3 => Just(Resolved),
        1 => prop::option::of(operator()).prop_map(|operator| Assigned { operator, team: None }),
    ];
    let pause = prop_oneof![1 => Just(0_i64), 2 => 0_i64..100_000];
    prop::collection::vec((pause, fact), 0..40).prop_map(|all| {
        let mut now = START;
        let timed = all.into_iter().map(|(pause, fact)| {
            now = now.plus_seconds(pause);
            (now, fact)
        });
        timed.collect()
    })
}

/// The first and last place of each interval; the last one may have no end.
fn intervals(facts: &[(Timestamp, ConversationFact)]) -> Vec<(usize, Option<usize>)> {
    let mut found: Vec<(usize, Option<usize>)> = Vec::new();
    for (place, (_, fact)) in facts.iter().enumerate() {
        let is_open = found.last().is_some_and(|(_, end)| end.is_none());
        match fact {
            Opened | Reopened | PersonWrote if !is_open => found.push((place, None)),
            Resolved if is_open => found.last_mut().unwrap().1 = Some(place),
            _ => {}
        }
    }
    found
}

/// The measurements of one interval, each from its own look at the facts.
fn of_interval(facts: &[(Timestamp, ConversationFact)]) -> Vec<Measured> {
    let is_operator = |fact: &ConversationFact| matches!(fact, OperatorAnswered(_));
    let is_answer = |fact: &ConversationFact| is_operator(fact) || *fact == AutomationAnswered;
    let first_written = facts.iter().position(|(_, fact)| *fact == PersonWrote);
    let Some(first_written) = first_written else { return Vec::new() };
    let (wrote_at, after) = (facts[first_written].0, &facts[first_written..]);
    let mut measured = Vec::new();
    if let Some((at, _)) = after.iter().find(|(_, fact)| is_answer(fact)) {
        measured.push(("first_answer_with_automation", *at, Some(at.seconds_since(wrote_at))));
    }
    let answers: Vec<usize> = (0..after.len()).filter(|place| is_operator(&after[*place].1)).collect();
    for (number, place) in answers.iter().enumerate() {
        let at = after[*place].0;
        let since_last = if number == 0 { 0 } else { answers[number - 1] };
        let waiting = after[since_last..*place].iter().find(|(_, fact)| *fact == PersonWrote);
        let Some((wrote_at, _)) = waiting else { continue };
        let name = if number == 0 { "first_answer" } else { "next_answer" };
        measured.push((name, at, Some(at.seconds_since(*wrote_at))));
        measured.push(("answered", at, None));
    }
    measured
}

fn naive(facts: &[(Timestamp, ConversationFact)]) -> Vec<Measured> {
    let mut measured = Vec::new();
    for (number, (begin, end)) in intervals(facts).into_iter().enumerate() {
        let began_at = facts[begin].0;
        measured.push(("volume", began_at, None));
        if number > 0 {
            measured.push(("reopened", began_at, None));
        }
        measured.extend(of_interval(&facts[begin..end.unwrap_or(facts.len())]));
        if let Some(end) = end {
            let at = facts[end].0;
            measured.extend([("resolved", at, None), ("resolution", at, Some(at.seconds_since(began_at)))]);
        }
    }
    measured
}

proptest! {
    #[test]
    fn measurements_equal_a_naive_calculation(facts in facts()) {
        let mut progress = ConversationProgress::default();
        let mut measured: Vec<Measured> = Vec::new();
        for (at, fact) in &facts {
            let all = progress.record(*fact, *at);
            measured.extend(all.into_iter().map(|one| (one.measure.name(), one.at, one.seconds)));
        }
        let mut expected = naive(&facts);
        measured.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(measured, expected);
    }

    #[test]
    fn a_stored_progress_goes_on_like_the_one_in_memory(facts in facts()) {
        let (mut one, mut other) = (ConversationProgress::default(), ConversationProgress::default());
        for (at, fact) in &facts {
            other = serde_json::from_str(&domain::to_json(&other)).unwrap();
            let measured = one.record(*fact, *at);
            prop_assert_eq!(&measured, &other.record(*fact, *at));
            let answers = measured.iter().filter(|one| one.measure == ReportMeasure::FirstAnswer);
            for answer in answers {
                prop_assert_eq!(*fact, OperatorAnswered(answer.operator.unwrap()));
            }
        }
    }
}
