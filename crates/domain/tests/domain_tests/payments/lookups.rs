//! When the network is asked.

use std::time::Duration;

use domain::payments::{Payment, Status, Tries};
use domain::{Id, OrderId};

use crate::payments::{START, at, canceled, lookup, ordered, paid, refunded, told, webhook};

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;

/// Whose last byte is nothing: not spread.
fn id() -> OrderId {
    Id::from_bytes([0; 12])
}

/// Looks whenever it is time and learns nothing, until there is no time any more.
fn fruitless(payment: &Payment, mut tries: Tries) -> Vec<i64> {
    let mut times = Vec::new();
    while let Some(due) = payment.next_lookup(tries, id()) {
        times.push(due.seconds() - START.seconds());
        tries = tries.made(due, false, None);
        assert!(times.len() < 1000, "it ends");
    }
    times
}

#[test]
fn a_webhook_is_confirmed_at_once_and_then_less_and_less_often() {
    let payment = told(&[ordered(), webhook(100, Status::Captured, Some(paid("t1", 100)))]);
    let times = fruitless(&payment, Tries::default());
    assert_eq!(times[..6], [100, 105, 115, 135, 175, 255]);
    let pauses: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses[..19].iter().all(|pause| (5..=3600).contains(pause)), "{pauses:?}");
    // Then the sweep has it, for the rest of the thirty days.
    assert!(pauses[19..].iter().all(|pause| *pause == DAY), "{pauses:?}");
    assert!((29 * DAY..=30 * DAY).contains(times.last().unwrap()), "{times:?}");
}

#[test]
fn a_sweep_finds_what_nobody_told() {
    let payment = told(&[ordered()]);
    assert_eq!(fruitless(&payment, Tries::default())[..4], [15 * MINUTE, 30 * MINUTE, 60 * MINUTE, 120 * MINUTE]);
    let failed = told(&[ordered(), lookup(60, Status::Failed, vec![])]);
    let tries = Tries::default().made(at(60), true, None);
    assert_eq!(failed.next_lookup(tries, id()), Some(at(16 * MINUTE)));
    assert!(fruitless(&payment, Tries::default()).len() < 50);
}

#[test]
fn what_is_over_is_looked_at_a_little_longer() {
    let captured = lookup(60, Status::Captured, vec![paid("t1", 60)]);
    let payment = told(&[ordered(), captured.clone()]);
    let tries = Tries::default().made(at(60), true, None);
    assert_eq!(fruitless(&payment, tries), [DAY + 60, 2 * DAY + 60, 3 * DAY + 60]);
    let refunded = told(&[ordered(), captured, lookup(90, Status::Captured, vec![refunded("t1", 90, None)])]);
    assert_eq!(refunded.next_lookup(tries, id()), None);
    let canceled = fruitless(&told(&[ordered(), canceled(60)]), Tries::default());
    assert!(*canceled.last().unwrap() <= 3 * DAY + 60 && canceled[0] == 15 * MINUTE, "{canceled:?}");
    // Nothing is known of an order of which only the network speaks.
    assert_eq!(told(&[webhook(5, Status::Captured, None)]).next_lookup(Tries::default(), id()), None);
}

#[test]
fn something_new_is_looked_at_soon_but_not_at_once_again() {
    let payment = told(&[ordered(), webhook(100, Status::Captured, None)]);
    let tired = (0..9).fold(Tries::default(), |tries, _| tries.made(at(100), false, None));
    assert!(payment.next_lookup(tired, id()) > Some(at(1000)));
    assert_eq!(payment.next_lookup(tired.woken(), id()), Some(at(105)));
    // So it is when a look-up found something out, and more is to be known.
    assert_eq!(payment.next_lookup(tired.made(at(2000), true, None), id()), Some(at(2005)));
}

#[test]
fn what_the_network_asks_for_is_kept_within_reason() {
    let payment = told(&[ordered(), webhook(100, Status::Captured, None)]);
    let tries = Tries::default().made(at(100), false, Some(Duration::from_mins(10)));
    assert_eq!(payment.next_lookup(tries, id()), Some(at(700)));
    assert_eq!(payment.next_lookup(tries.made(at(700), false, None), id()), Some(at(710)));
    let endless = Tries::default().made(at(100), false, Some(Duration::MAX));
    assert_eq!(payment.next_lookup(endless, id()), Some(at(100 + DAY)));
}

#[test]
fn payments_are_spread() {
    let payment = told(&[ordered()]);
    let tries = Tries::default().made(at(15 * MINUTE), false, None);
    let due = |byte| payment.next_lookup(tries, Id::from_bytes([byte; 12])).unwrap();
    assert!(due(0) < due(1) && due(1) < due(255));
    assert!(due(255) < due(0).plus_seconds(15 * MINUTE / 4));
}

#[test]
fn a_canceled_order_is_looked_at_for_three_days_more() {
    let times = fruitless(&told(&[ordered(), canceled(0)]), Tries::default());
    let quarter = 15 * MINUTE;
    let doubling = [1, 2, 4, 8, 16, 32, 64].map(|times| times * quarter);
    assert_eq!(times[..7], doubling);
    assert_eq!(times[7..], [128 * quarter, 128 * quarter + DAY], "then once a day, until the third day is over");
    // A cancellation on the last day gives no more time than the thirty days.
    let late = fruitless(&told(&[ordered(), canceled(29 * DAY)]), Tries::default());
    assert!((29 * DAY..=30 * DAY).contains(late.last().unwrap()), "{late:?}");
}

#[test]
fn a_look_up_is_spread_by_its_share_of_a_quarter_of_the_pause() {
    let payment = told(&[ordered()]);
    let tries = Tries::default().made(at(15 * MINUTE), false, None);
    let due = |byte| payment.next_lookup(tries, Id::from_bytes([byte; 12])).unwrap();
    assert_eq!(due(128).micros() - due(0).micros(), 15 * MINUTE * 1_000_000 / 8);
    assert_eq!(due(64).micros() - due(0).micros(), 15 * MINUTE * 1_000_000 / 16);
}

#[test]
fn the_twentieth_fruitless_try_leaves_a_report_to_the_sweep() {
    let payment = told(&[ordered(), webhook(100, Status::Captured, None)]);
    let tries = |fruitless| Tries { fruitless, last: Some(at(200)), not_before: None };
    assert_eq!(payment.next_lookup(tries(19), id()), Some(at(200 + 3600)));
    assert_eq!(payment.next_lookup(tries(20), id()), Some(at(200 + DAY)));
}
