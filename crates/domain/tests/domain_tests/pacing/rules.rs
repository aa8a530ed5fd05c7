//! An example of each rule.

use domain::messaging::messages::Urgency;
use domain::messaging::pacing::{Candidate, Limits, Pacer, Plan, estimate};

use crate::pacing::{DAY, SECOND, START, at, channel, message, opening, person, template};

const OPEN: Limits = Limits { per_second: 0, pair_burst: 0, pair_seconds: 0, new_people: None };

fn pacer(limits: Limits) -> Pacer {
    let mut pacer = Pacer::new();
    pacer.set_limits(channel(0), limits);
    pacer
}

/// Plans and commits the plan.
fn send(pacer: &mut Pacer, messages: &[Candidate], micros: i64) -> Plan {
    let plan = pacer.plan(messages, at(micros));
    pacer.commit(messages, &plan, at(micros));
    plan
}

fn many(count: u64, of: impl Fn(u64) -> Candidate) -> Vec<Candidate> {
    (0..count).map(of).collect()
}

fn marketing(which: u64) -> Candidate {
    message(which, which, Urgency::Marketing)
}

fn to_strangers(which: u64) -> Candidate {
    opening(which, which, Urgency::Marketing)
}

#[test]
fn a_number_sends_a_quarter_of_its_second_at_a_time() {
    let (mut pacer, waiting) = (Pacer::new(), many(100, marketing));
    for quarter in 0..8 {
        let now = quarter * SECOND / 4;
        let plan = send(&mut pacer, &waiting, now);
        assert_eq!(plan.go, (0..20).collect::<Vec<_>>(), "in the order of the list");
        assert_eq!(plan.next, Some(at(now + SECOND / 4)));
        assert_eq!(send(&mut pacer, &waiting, now + SECOND / 4 - 1).go.len(), 0);
    }
}

#[test]
fn a_number_that_is_not_full_has_nothing_to_wait_for() {
    let mut pacer = Pacer::new();
    let plan = send(&mut pacer, &many(19, marketing), 0);
    assert_eq!((plan.go.len(), plan.next), (19, None));
    let plan = send(&mut pacer, &many(1, marketing), 1);
    assert_eq!((plan.go.len(), plan.next), (1, Some(at(SECOND / 4))), "the first 19 make place again");
}

#[test]
fn numbers_do_not_slow_each_other() {
    let mut pacer = Pacer::new();
    send(&mut pacer, &many(100, marketing), 0);
    let other = Candidate { channel: channel(1), ..marketing(1) };
    let plan = send(&mut pacer, &[marketing(0), other], 1);
    assert_eq!((plan.go, plan.next), (vec![1], Some(at(SECOND / 4))));
}

#[test]
fn the_estimate_is_when_an_idle_number_sends_it() {
    for per_second in [1, 2, 3, 5, 7, 80, 81, 250, 1000] {
        let limits = Limits { per_second, ..OPEN };
        let (mut pacer, mut now, mut ahead) = (pacer(limits), 0, 0);
        while ahead < 2500.min(u64::from(per_second) * 20) {
            let plan = send(&mut pacer, &many(2000, marketing), now);
            assert!(!plan.go.is_empty(), "the plan said to try then");
            for _ in &plan.go {
                assert_eq!(estimate(&limits, ahead, START), at(now), "{ahead} ahead, {per_second} a second");
                ahead += 1;
            }
            now = plan.next.unwrap().micros() - START.micros();
        }
    }
    assert_eq!(estimate(&OPEN, u64::MAX, START), START);
    assert!(estimate(&Limits::default(), u64::MAX, START) > START, "however many there are");
}

#[test]
fn a_person_gets_a_burst_and_the_rest_one_by_one_while_others_pass() {
    let mut pacer = pacer(Limits { per_second: 0, ..Limits::default() });
    let mut waiting = many(48, |which| message(which, 7, Urgency::Service));
    waiting.push(message(99, 8, Urgency::Marketing));
    let plan = send(&mut pacer, &waiting, 0);
    assert_eq!(plan.go, (0..45).chain([48]).collect::<Vec<_>>());
    let steps = [(45, at(6 * SECOND)), (46, at(12 * SECOND)), (47, at(18 * SECOND))];
    assert_eq!((plan.later, plan.next), (steps.to_vec(), None));
    let other_number = Candidate { channel: channel(1), ..message(100, 7, Urgency::Service) };
    assert_eq!(send(&mut pacer, &[other_number], 0).go, [0], "a bucket belongs to a number and a person");
    assert_eq!(send(&mut pacer, &waiting[45..48], 6 * SECOND).go, [0]);
    assert_eq!(send(&mut pacer, &waiting, 45 * 6 * SECOND + 6 * SECOND).go.len(), 46, "full again");
}

#[test]
fn messages_that_wait_for_a_pair_take_no_room_of_the_number() {
    let mut pacer = pacer(Limits { per_second: 4, pair_burst: 1, ..Limits::default() });
    let twice = [message(0, 1, Urgency::Service), message(1, 1, Urgency::Service), message(2, 2, Urgency::Marketing)];
    assert_eq!(send(&mut pacer, &twice[..1], 0).go, [0]);
    let plan = send(&mut pacer, &twice[1..], SECOND / 4);
    assert_eq!((plan.go, plan.later), (vec![1], vec![(0, at(6 * SECOND))]));
}

#[test]
fn new_people_wait_for_slots_that_come_free() {
    let mut pacer = pacer(Limits { new_people: Some(3), ..OPEN });
    let known = many(3, to_strangers);
    assert_eq!(send(&mut pacer, &known, 0).go, [0, 1, 2]);
    let plan = send(&mut pacer, &known[1..], 10 * SECOND);
    assert_eq!(plan.go, [0, 1], "they count already");
    assert_eq!(plan.people, [(person(1), at(DAY + 10 * SECOND)), (person(2), at(DAY + 10 * SECOND))]);
    let waiting = [to_strangers(3), to_strangers(4), to_strangers(5), message(6, 6, Urgency::Marketing)];
    let plan = send(&mut pacer, &waiting, 20 * SECOND);
    assert_eq!(plan.go, [3], "nothing is opened inside of the window");
    let (first, others) = (at(DAY), at(DAY + 10 * SECOND));
    assert_eq!(plan.later, [(0, first), (1, others), (2, others)], "a day after each was last written to");
    assert_eq!(send(&mut pacer, &waiting, DAY - 1).go, [3]);
    assert_eq!((send(&mut pacer, &waiting, DAY).go, pacer.people(at(DAY))), (vec![0, 3], 3));
}

#[test]
fn each_round_gives_out_other_slots_and_urgent_messages_get_the_first() {
    let mut pacer = pacer(Limits { new_people: Some(3), ..OPEN });
    (0..3).for_each(|which| drop(send(&mut pacer, &[to_strangers(which)], which.cast_signed() * SECOND)));
    let when =
        |pacer: &mut Pacer, which, urgency| send(pacer, &[opening(which, which, urgency)], 5 * SECOND).later[0].1;
    assert_eq!(when(&mut pacer, 10, Urgency::Marketing), at(DAY));
    assert_eq!(when(&mut pacer, 11, Urgency::Marketing), at(DAY + SECOND));
    assert_eq!(when(&mut pacer, 12, Urgency::Utility), at(DAY));
    assert_eq!(when(&mut pacer, 13, Urgency::Marketing), at(DAY + 2 * SECOND));
    assert_eq!(when(&mut pacer, 14, Urgency::Marketing), at(DAY), "and from the first again");
    let twice = [opening(20, 20, Urgency::Service), opening(21, 20, Urgency::Service)];
    assert_eq!(send(&mut pacer, &twice, 5 * SECOND).later, [(0, at(DAY)), (1, at(DAY))], "one person, one place");
}

#[test]
fn a_node_that_takes_over_knows_whom_the_portfolio_counts() {
    let limits = Limits { new_people: Some(2), ..OPEN };
    let plan = send(&mut pacer(limits), &many(3, to_strangers), 0);
    assert_eq!(plan.people.len(), 2);
    let mut next = pacer(limits);
    next.count_people(plan.people.iter().copied().chain([(person(0), at(SECOND))]));
    assert_eq!(next.people(START), 2);
    assert_eq!(send(&mut next, &many(3, to_strangers), 1).go, [0, 1]);
    assert_eq!(next.people(at(DAY + SECOND)), 0);
}

#[test]
fn a_lower_limit_waits_until_enough_slots_are_free() {
    let mut pacer = pacer(Limits { new_people: Some(5), ..OPEN });
    (0..5).for_each(|which| drop(send(&mut pacer, &[to_strangers(which)], which.cast_signed() * SECOND)));
    pacer.set_limits(channel(0), Limits { new_people: Some(2), ..OPEN });
    let plan = send(&mut pacer, &[to_strangers(9)], 5 * SECOND);
    assert_eq!(plan.later, [(0, at(DAY + 3 * SECOND))]);
    assert_eq!(send(&mut pacer, &[to_strangers(9)], DAY + 3 * SECOND).go, [0]);
}

#[test]
fn without_any_slot_the_next_try_is_tomorrow() {
    let mut pacer = pacer(Limits { new_people: Some(0), ..OPEN });
    let later = send(&mut pacer, &[to_strangers(1)], 0).later;
    assert!(later[0].1 >= at(DAY) && later[0].1 <= at(DAY + 2 * SECOND), "{later:?}");
}

#[test]
fn a_paused_message_waits_until_the_pause_ends() {
    let mut pacer = pacer(Limits::default());
    let waiting = [to_strangers(0), message(1, 1, Urgency::Service), message(2, 2, Urgency::Service)];
    pacer.pause_template(template(0), at(60 * SECOND));
    pacer.pause_template(template(0), at(30 * SECOND));
    pacer.pause_pair(channel(0), person(1), at(5 * SECOND));
    pacer.pause_pair(channel(0), person(1), at(2 * SECOND));
    let plan = pacer.plan(&waiting, START);
    assert_eq!(plan.go, [2]);
    assert_eq!(plan.later, [(0, at(60 * SECOND)), (1, at(5 * SECOND))]);
    pacer.pause_channel(channel(0), at(9 * SECOND));
    pacer.pause_channel(channel(0), at(8 * SECOND));
    let plan = pacer.plan(&waiting, START);
    assert_eq!((plan.go.len(), plan.later.len(), plan.next), (0, 0, Some(at(9 * SECOND))), "all stay as they are");
    assert_eq!(pacer.plan(&waiting, at(9 * SECOND)).go, [1, 2]);
    assert_eq!(pacer.plan(&waiting, at(60 * SECOND)).go, [0, 1, 2]);
}

#[test]
fn zero_switches_a_limit_off() {
    let mut pacer = pacer(OPEN);
    let plan = send(&mut pacer, &many(5000, |which| opening(which, 1, Urgency::Marketing)), 0);
    assert_eq!((plan.go.len(), plan.later.len(), plan.next, plan.people.len()), (5000, 0, None, 0));
    assert_eq!(pacer.people(START), 0);
}

#[test]
fn forgetting_changes_no_answer() {
    let limits = Limits { per_second: 4, pair_burst: 2, pair_seconds: 6, new_people: Some(2) };
    let (mut kept, mut forgetful) = (pacer(limits), pacer(limits));
    for step in 0..200 {
        let (now, waiting) = (step * SECOND / 3, many(6, |which| opening(which, which / 2, Urgency::Marketing)));
        assert_eq!(send(&mut kept, &waiting, now), send(&mut forgetful, &waiting, now));
        forgetful.forget(at(now));
    }
}

#[test]
fn a_clock_that_is_set_back_blocks_no_message() {
    let limits = Limits { pair_burst: 1, ..Limits::default() };
    let mut pacer = pacer(limits);
    let waiting = many(100, marketing);
    (0..4).for_each(|quarter| drop(send(&mut pacer, &waiting, 3600 * SECOND + quarter * SECOND / 4)));
    let plan = send(&mut pacer, &waiting, 0);
    assert_eq!((plan.go.len(), plan.next), (20, Some(at(SECOND / 4))));
    assert!(plan.later.iter().all(|(_, until)| *until <= at(6 * SECOND)), "{:?}", plan.later);
    assert_eq!(pacer.plan(&waiting, at(1)).next, plan.next, "and its limit holds");
}
