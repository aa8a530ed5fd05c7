//! When look-ups are due.

use std::time::Duration;

use domain::commerce::payments::{LookupAttempts, Payment, PaymentStatus};
use domain::{Id, OrderId};

use crate::payments::{START, at, canceled, lookup, ordered, paid, payment_of, refunded, webhook};

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;

/// The last byte is zero, so the time is not spread.
fn id() -> OrderId {
    Id::from_bytes([0; 12])
}

/// The times of all look-ups, if none changes anything, until no further one is due.
fn fruitless(payment: &Payment, mut attempts: LookupAttempts) -> Vec<i64> {
    let mut times = Vec::new();
    while let Some(due) = payment.next_lookup(attempts, id()) {
        times.push(due.seconds() - START.seconds());
        attempts = attempts.record(due, false, None);
        assert!(times.len() < 1000, "it ends");
    }
    times
}

#[test]
fn a_webhook_is_confirmed_at_once_and_then_with_growing_pauses() {
    let payment = payment_of(&[ordered(), webhook(100, PaymentStatus::Captured, Some(paid("t1", 100)))]);
    let times = fruitless(&payment, LookupAttempts::default());
    assert_eq!(times[..6], [100, 105, 115, 135, 175, 255]);
    let pauses: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses[..19].iter().all(|pause| (5..=3600).contains(pause)), "{pauses:?}");
    // After these, one look-up a day until the thirty days are over.
    assert!(pauses[19..].iter().all(|pause| *pause == DAY), "{pauses:?}");
    assert!((29 * DAY..=30 * DAY).contains(times.last().unwrap()), "{times:?}");
}

#[test]
fn a_sweep_finds_payments_without_a_webhook() {
    let payment = payment_of(&[ordered()]);
    assert_eq!(
        fruitless(&payment, LookupAttempts::default())[..4],
        [15 * MINUTE, 30 * MINUTE, 60 * MINUTE, 120 * MINUTE]
    );
    let failed = payment_of(&[ordered(), lookup(60, PaymentStatus::Failed, vec![])]);
    let attempts = LookupAttempts::default().record(at(60), true, None);
    assert_eq!(failed.next_lookup(attempts, id()), Some(at(16 * MINUTE)));
    assert!(fruitless(&payment, LookupAttempts::default()).len() < 50);
}

#[test]
fn a_final_payment_is_looked_up_a_little_longer() {
    let captured = lookup(60, PaymentStatus::Captured, vec![paid("t1", 60)]);
    let payment = payment_of(&[ordered(), captured.clone()]);
    let attempts = LookupAttempts::default().record(at(60), true, None);
    assert_eq!(fruitless(&payment, attempts), [DAY + 60, 2 * DAY + 60, 3 * DAY + 60]);
    let refunded =
        payment_of(&[ordered(), captured, lookup(90, PaymentStatus::Captured, vec![refunded("t1", 90, None)])]);
    assert_eq!(refunded.next_lookup(attempts, id()), None);
    let canceled = fruitless(&payment_of(&[ordered(), canceled(60)]), LookupAttempts::default());
    assert!(*canceled.last().unwrap() <= 3 * DAY + 60 && canceled[0] == 15 * MINUTE, "{canceled:?}");
    // A payment without an order is not looked up.
    assert_eq!(
        payment_of(&[webhook(5, PaymentStatus::Captured, None)]).next_lookup(LookupAttempts::default(), id()),
        None
    );
}

#[test]
fn a_change_makes_the_look_up_due_soon_but_not_at_once() {
    let payment = payment_of(&[ordered(), webhook(100, PaymentStatus::Captured, None)]);
    let tired = (0..9).fold(LookupAttempts::default(), |attempts, _| attempts.record(at(100), false, None));
    assert!(payment.next_lookup(tired, id()) > Some(at(1000)));
    assert_eq!(payment.next_lookup(tired.reset(), id()), Some(at(105)));
    // The same after a look-up that changed the state.
    assert_eq!(payment.next_lookup(tired.record(at(2000), true, None), id()), Some(at(2005)));
}

#[test]
fn the_pause_that_the_network_asks_for_is_kept_and_bounded() {
    let payment = payment_of(&[ordered(), webhook(100, PaymentStatus::Captured, None)]);
    let attempts = LookupAttempts::default().record(at(100), false, Some(Duration::from_mins(10)));
    assert_eq!(payment.next_lookup(attempts, id()), Some(at(700)));
    assert_eq!(payment.next_lookup(attempts.record(at(700), false, None), id()), Some(at(710)));
    let endless = LookupAttempts::default().record(at(100), false, Some(Duration::MAX));
    assert_eq!(payment.next_lookup(endless, id()), Some(at(100 + DAY)));
}

#[test]
fn payments_are_spread() {
    let payment = payment_of(&[ordered()]);
    let attempts = LookupAttempts::default().record(at(15 * MINUTE), false, None);
    let due = |byte| payment.next_lookup(attempts, Id::from_bytes([byte; 12])).unwrap();
    assert!(due(0) < due(1) && due(1) < due(255));
    assert!(due(255) < due(0).plus_seconds(15 * MINUTE / 4));
}

#[test]
fn a_canceled_order_is_looked_up_for_three_more_days() {
    let times = fruitless(&payment_of(&[ordered(), canceled(0)]), LookupAttempts::default());
    let quarter = 15 * MINUTE;
    let doubling = [1, 2, 4, 8, 16, 32, 64].map(|times| times * quarter);
    assert_eq!(times[..7], doubling);
    assert_eq!(times[7..], [128 * quarter, 128 * quarter + DAY], "then once a day, until the third day is over");
    // After a cancellation on the last day the look-ups still end after thirty days.
    let late = fruitless(&payment_of(&[ordered(), canceled(29 * DAY)]), LookupAttempts::default());
    assert!((29 * DAY..=30 * DAY).contains(late.last().unwrap()), "{late:?}");
}

#[test]
fn a_look_up_is_spread_by_its_share_of_a_quarter_of_the_pause() {
    let payment = payment_of(&[ordered()]);
    let attempts = LookupAttempts::default().record(at(15 * MINUTE), false, None);
    let due = |byte| payment.next_lookup(attempts, Id::from_bytes([byte; 12])).unwrap();
    assert_eq!(due(128).micros() - due(0).micros(), 15 * MINUTE * 1_000_000 / 8);
    assert_eq!(due(64).micros() - due(0).micros(), 15 * MINUTE * 1_000_000 / 16);
}

#[test]
fn the_twentieth_fruitless_attempt_leaves_a_report_to_the_sweep() {
    let payment = payment_of(&[ordered(), webhook(100, PaymentStatus::Captured, None)]);
    let attempts = |fruitless| LookupAttempts { fruitless, last: Some(at(200)), not_before: None };
    assert_eq!(payment.next_lookup(attempts(19), id()), Some(at(200 + 3600)));
    assert_eq!(payment.next_lookup(attempts(20), id()), Some(at(200 + DAY)));
}
