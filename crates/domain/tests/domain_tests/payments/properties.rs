//! Any history: convergence, monotony, one capture, and a ledger that outlives being stored.

use domain::events::FactKind;
use domain::money::Amount;
use domain::payments::{
    Change, Fact, Found, Ledger, Lookup, Money, Refund, Report, Source, Status, Transaction, TransactionError,
    TransactionStatus, changes, told_as,
};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::payments::{START, at, canceled, ledger, long, lookup_of_nothing, marked};

/// Few values, so that facts meet.
fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0_i64..200, 1 => 0_i64..100_000]
}

fn status() -> impl Strategy<Value = Status> {
    prop::sample::select(Status::ALL.to_vec())
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

fn fact() -> impl Strategy<Value = Fact> {
    let currency = prop::sample::select(vec!["INR", "JPY"]);
    let order = (0_i64..3, amount(), currency).prop_map(|(second, amount, currency)| Fact::Ordered {
        at: at(second),
        amount,
        currency: currency.parse().unwrap(),
    });
    let report = (seconds(), status(), money(), prop::option::of(transaction()))
        .prop_map(|(second, status, money, transaction)| Report { at: at(second), status, money, transaction });
    let found = (seconds(), status(), money(), prop::collection::vec(transaction(), 0..4)).prop_map(
        |(second, status, money, transactions)| Lookup {
            at: at(second),
            found: Some(Found { status, money, transactions }),
        },
    );
    prop_oneof![
        2 => order,
        1 => seconds().prop_map(canceled),
        1 => (seconds(), status()).prop_map(|(second, status)| marked(second, status)),
        4 => report.prop_map(Fact::Webhook),
        4 => found.prop_map(Fact::Lookup),
        1 => seconds().prop_map(lookup_of_nothing),
    ]
}

/// Facts, and each of them again somewhere in another order.
fn histories() -> impl Strategy<Value = (Vec<Fact>, Vec<Fact>)> {
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
        // Two who each heard a part, and told each other.
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
            prop_assert_eq!(&serde_json::from_str::<Fact>(&text).unwrap(), fact);
            prop_assert!(!straight.clone().learn(fact), "known already");
        }
    }

    #[test]
    fn a_capture_is_never_taken_back_and_told_once((facts, shuffled) in histories()) {
        for history in [&facts, &shuffled] {
            let mut ledger = Ledger::default();
            let (mut before, mut captures) = (ledger.state(), 0);
            for fact in history {
                let news = ledger.learn(fact);
                let after = ledger.state();
                let told = changes(&before, &after);
                prop_assert!(news || told.is_empty(), "what was known changes nothing");
                prop_assert!(!before.status.is_paid() || after.status.is_paid(), "taken back by {:?}", fact);
                prop_assert!(before.status != Status::Failed || after.status != Status::Pending);
                prop_assert_eq!(told_as(&told).contains(&FactKind::OrderUpdated), !told.is_empty());
                captures += usize::from(told.contains(&Change::Captured));
                prop_assert_eq!(told.contains(&Change::Captured), told_as(&told).contains(&FactKind::PaymentCaptured));
                before = after;
            }
            prop_assert_eq!(captures, usize::from(before.status.is_paid()));
            prop_assert_eq!(before.captured_at.is_some(), before.status.is_paid());
        }
    }

    #[test]
    fn webhooks_alone_move_nothing(mut facts in prop::collection::vec(fact(), 1..9)) {
        facts.retain(|fact| matches!(fact, Fact::Webhook(_) | Fact::Ordered { .. }));
        let state = ledger(&facts).state();
        prop_assert_eq!(state.status, Status::Pending);
        let claims = |fact: &Fact| match fact {
            Fact::Webhook(report) => {
                let told = report.transaction.as_ref().and_then(|one| one.status);
                report.status > Status::Pending || told > Some(TransactionStatus::Pending)
            }
            _ => false,
        };
        prop_assert_eq!(state.pending_confirmation.is_some(), facts.iter().any(claims));
        prop_assert!(state.transactions.iter().all(|one| !one.confirmed));
    }

    #[test]
    fn who_spoke_and_when_is_said(facts in prop::collection::vec(fact(), 1..9)) {
        let state = ledger(&facts).state();
        let (mut sources, mut latest) = (Vec::new(), START);
        for fact in &facts {
            let (source, at) = match fact {
                Fact::Ordered { at, .. } | Fact::Canceled { at } | Fact::Marked { at, .. } => (Source::Business, *at),
                Fact::Webhook(report) => (Source::Webhook, report.at),
                Fact::Lookup(lookup) => (Source::Lookup, lookup.at),
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
