//! Every order of every history of six facts.

use std::collections::{BTreeMap, HashSet};

use domain::commerce::payments::{Ledger, Payment, PaymentFact};

use crate::payments::catalogue::catalogue;
use crate::payments::{ledger, long};

const LENGTH: usize = 6;

/// All ascending lists of `size` indexes below `count`; with repeats if `repeats`.
fn choices(count: usize, size: usize, repeats: bool) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let longer = |shorter: Vec<usize>| {
        let from = shorter.last().map_or(0, |last| if repeats { *last } else { last + 1 });
        (from..count).map(move |next| [shorter.as_slice(), &[next]].concat())
    };
    choices(count, size - 1, repeats).into_iter().flat_map(longer).collect()
}

fn permutations(places: &[usize]) -> Vec<Vec<usize>> {
    if places.is_empty() {
        return vec![Vec::new()];
    }
    let led_by = |place: usize| {
        let rest: Vec<usize> = places.iter().copied().filter(|other| *other != places[place]).collect();
        permutations(&rest).into_iter().map(move |rest| [&[places[place]], rest.as_slice()].concat())
    };
    (0..places.len()).flat_map(led_by).collect()
}

/// All 720 orders of each set of six different facts.
#[test]
fn every_permutation_ends_in_the_same_state() {
    let facts = catalogue();
    let sets = choices(facts.len(), LENGTH, false);
    assert_eq!(sets.len(), 3003);
    // Every sixtieth set in the normal run; the test below covers all sets in another way.
    let step = if long() { 1 } else { 60 };
    let mut run = 0;
    for set in sets.iter().step_by(step) {
        let straight = ledger(&set.iter().map(|place| facts[*place].clone()).collect::<Vec<PaymentFact>>());
        for order in permutations(set) {
            let other = ledger(&order.iter().map(|place| facts[*place].clone()).collect::<Vec<PaymentFact>>());
            assert_eq!(other, straight, "{order:?}");
            run += 1;
        }
    }
    assert_eq!(run, 720 * 3003_usize.div_ceil(step));
}

/// The ledger after a fact depends only on the ledger before and the fact. So for each choice of facts it is enough to
/// try each fact as the last one: if all give the same ledger, so does every order. This covers all 14⁶ = 7 529 536
/// histories of six facts, repeats included. On every step a paid payment stays paid.
#[test]
fn every_history_of_six_facts_with_repeats_ends_in_one_state() {
    let facts = catalogue();
    let begin = Ledger::default();
    let mut known = BTreeMap::from([(Vec::new(), (begin.clone(), begin.state()))]);
    for size in 1..=LENGTH {
        let histories = choices(facts.len(), size, true);
        known = histories.into_iter().map(|history| ended(&facts, &known, history)).collect();
    }
    assert_eq!(known.len(), 27_132);
    let ends: HashSet<String> = known.values().map(|(_, end)| serde_json::to_string(end).unwrap()).collect();
    assert!(ends.len() > 1000, "the facts of the catalogue differ: {}", ends.len());
}

type Known = BTreeMap<Vec<usize>, (Ledger, Payment)>;

fn ended(facts: &[PaymentFact], known: &Known, history: Vec<usize>) -> (Vec<usize>, (Ledger, Payment)) {
    let mut end: Option<(Ledger, Payment)> = None;
    for last in 0..history.len() {
        let mut before = history.clone();
        let fact = &facts[before.remove(last)];
        let (mut ledger, before) = known[&before].clone();
        ledger.apply(fact);
        let (joined, after) = end.get_or_insert_with(|| (ledger.clone(), ledger.state()));
        assert_eq!(ledger, *joined, "{history:?}");
        assert!(!before.status.is_paid() || after.status.is_paid(), "{history:?} takes back a capture");
    }
    (history, end.unwrap())
}
