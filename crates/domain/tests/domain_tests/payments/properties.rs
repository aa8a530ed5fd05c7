//! Any history: convergence, monotony, one capture, and a ledger that survives serialization.

use domain::commerce::money::Amount;
use domain::commerce::payments::{
    Change, FoundPayment, Ledger, LookupAnswer, Money, OrderEvent, PaymentFact, PaymentSource, PaymentStatus, Refund,
    Transaction, TransactionError, TransactionStatus, WebhookReport, changes, events_of,
};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::payments::{START, at, canceled, ledger, long, lookup_of_nothing, marked};

/// Few different values, so that facts often have the same time.
fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0_i64..200, 1 => 0_i64..100_000]
}

fn status() -> impl Strategy<Value = PaymentStatus> {
    prop::sample::select(PaymentStatus::ALL.to_vec())
}

fn amount() -> impl Strategy<Value = Amount> {
    let value = prop_oneof![6 => Just(21_000), 1 => Just(20_999), 1 => Just(210_000), 1 => any::<i64>()];
    let offset = prop_oneof![8 => Just(100), 1 => Just(1000), 1 => any::<i64>()];
    (value, offset).prop_map(|(value, offset)| Amount { value, offset })
}

fn money() -> impl Strategy<Value = Option<Money>> {
    let currency = prop::option::of(prop::sample::select(vec!["INR", "INR", "INR", "USD", "XXX"]));
    let money = (amount(), currency);
    prop::option::of(money.prop_map(|(amount, code)| Money { amount, currency: code.map(str::to_owned) }))
}

fn refund() -> impl Strategy<Value = Refund> {
    let status = prop::sample::select(TransactionStatus::ALL.to_vec());
    ("r[0-2]", status, prop::option::of(amount())).prop_map(|(id, status, amount)| Refund { id, status, amount })
}

fn transaction() -> impl Strategy<Value = Transaction> {
    let time = || prop::option::of(seconds().prop_map(at));
    let status = prop::option::of(prop::sample::select(TransactionStatus::ALL.to_vec()));
    let word = || prop::option::of("[ab]");
    let refunds = prop::collection::vec(refund(), 0..3);
    (("t[0-2]", word(), status, word(), money()), (word(), time(), time(), refunds)).prop_map(
        |((id, kind, status, method, money), (error, created, updated, refunds))| Transaction {
            id,
            kind,
            status,
            method,
            money,
            error: error.map(|code| TransactionError { code: Some(code), reason: None }),
            created,
            updated,
            refunds,
        },
    )
}

fn fact() -> impl Strategy<Value = PaymentFact> {
    let currency = prop::sample::select(vec!["INR", "JPY"]);
    let order = (0_i64..3, amount(), currency).prop_map(|(second, amount, currency)| PaymentFact::Ordered {
        at: at(second),
        amount,
        currency: currency.parse().unwrap(),
    });
    let report = (seconds(), status(), money(), prop::option::of(transaction()))
        .prop_map(|(second, status, money, transaction)| WebhookReport { at: at(second), status, money, transaction });
    let found = (seconds(), status(), money(), prop::collection::vec(transaction(), 0..4)).prop_map(
        |(second, status, money, transactions)| LookupAnswer {
            at: at(second),
            found: Some(FoundPayment { status, money, transactions }),
        },
    );
    prop_oneof![
        2 => order,
        1 => seconds().prop_map(canceled),
        1 => (seconds(), status()).prop_map(|(second, status)| marked(second, status)),
        4 => report.prop_map(PaymentFact::Webhook),
        4 => found.prop_map(PaymentFact::Lookup),
        1 => seconds().prop_map(lookup_of_nothing),
    ]
}

/// Facts, and the same facts with repeats in another order.
fn histories() -> impl Strategy<Value = (Vec<PaymentFact>, Vec<PaymentFact>)> {
    prop::collection::vec(fact(), 1..9).prop_flat_map(|facts| {
        let twice = [facts.clone(), facts.clone()].concat();
        (Just(facts), Just(twice).prop_shuffle())
    })
}

fn cases() -> Config {
    Config { cases: if long() { 100_000 } else { 1500 }, ..Config::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_order_with_repeats_and_in_parts_is_the_same((facts, shuffled) in histories(), cut in any::<prop::sample::Index>()) {
        let straight = ledger(&facts);
        prop_assert_eq!(&ledger(&shuffled), &straight);
        prop_assert_eq!(ledger(&shuffled).state(), straight.state());
        // Each of two ledgers gets a part of the facts; then they are joined.
        let cut = cut.index(facts.len());
        let (mut one, other) = (ledger(&facts[..cut]), ledger(&facts[cut..]));
        let mut back = other.clone();
        back.join(&one);
        one.join(&other);
        prop_assert_eq!(&one, &straight);
        prop_assert_eq!(&back, &straight);
        let text = serde_json::to_string(&straight).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Ledger>(&text).unwrap(), &straight);
        for fact in &facts {
            let text = serde_json::to_string(fact).unwrap();
            prop_assert_eq!(&serde_json::from_str::<PaymentFact>(&text).unwrap(), fact);
            prop_assert!(!straight.clone().apply(fact), "known already");
        }
    }

    #[test]
    fn a_capture_is_never_revoked_and_emitted_once((facts, shuffled) in histories()) {
        for history in [&facts, &shuffled] {
            let mut ledger = Ledger::default();
            let (mut before, mut captures) = (ledger.state(), 0);
            for fact in history {
                let news = ledger.apply(fact);
                let after = ledger.state();
                let changed = changes(&before, &after);
                prop_assert!(news || changed.is_empty(), "what was known changes nothing");
                prop_assert!(!before.status.is_paid() || after.status.is_paid(), "taken back by {:?}", fact);
                prop_assert!(before.status != PaymentStatus::Failed || after.status != PaymentStatus::Pending);
                prop_assert_eq!(events_of(&changed).contains(&OrderEvent::OrderUpdated), !changed.is_empty());
                captures += usize::from(changed.contains(&Change::Captured));
                let is_captured = events_of(&changed).contains(&OrderEvent::PaymentCaptured);
                prop_assert_eq!(changed.contains(&Change::Captured), is_captured);
                before = after;
            }
            prop_assert_eq!(captures, usize::from(before.status.is_paid()));
            prop_assert_eq!(before.captured_at.is_some(), before.status.is_paid());
        }
    }

    #[test]
    fn webhooks_alone_change_no_status(mut facts in prop::collection::vec(fact(), 1..9)) {
        facts.retain(|fact| matches!(fact, PaymentFact::Webhook(_) | PaymentFact::Ordered { .. }));
        let state = ledger(&facts).state();
        prop_assert_eq!(state.status, PaymentStatus::Pending);
        let claims = |fact: &PaymentFact| match fact {
            PaymentFact::Webhook(report) => {
                let reported = report.transaction.as_ref().and_then(|one| one.status);
                report.status > PaymentStatus::Pending || reported > Some(TransactionStatus::Pending)
            }
            _ => false,
        };
        prop_assert_eq!(state.pending_confirmation.is_some(), facts.iter().any(claims));
        prop_assert!(state.transactions.iter().all(|one| !one.confirmed));
    }

    #[test]
    fn sources_and_times_are_listed(facts in prop::collection::vec(fact(), 1..9)) {
        let state = ledger(&facts).state();
        let (mut sources, mut latest) = (Vec::new(), START);
        for fact in &facts {
            let (source, at) = match fact {
                PaymentFact::Ordered { at, .. } | PaymentFact::Canceled { at } | PaymentFact::Marked { at, .. } => (PaymentSource::Business, *at),
                PaymentFact::Webhook(report) => (PaymentSource::Webhook, report.at),
                PaymentFact::Lookup(lookup) => (PaymentSource::Lookup, lookup.at),
            };
            sources.push(source);
            latest = latest.max(at);
        }
        sources.sort_unstable();
        sources.dedup();
        prop_assert_eq!(state.sources, sources);
        prop_assert_eq!(state.as_of, Some(latest));
    }
}
