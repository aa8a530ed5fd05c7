//! Payments from outside: every order of the same facts, any history, and the stories that happen.

mod catalogue;
mod lookups;
mod permutations;
mod properties;
mod stories;

use domain::Timestamp;
use domain::money::Amount;
use domain::payments::{
    Fact, Found, Ledger, Lookup, Money, Payment, Refund, Report, Status, Transaction, TransactionStatus,
};

const START: Timestamp = Timestamp::from_seconds(1_776_000_000);
const ASKED: Amount = Amount::new(21_000);

/// With `SWITCHBOARD_TEST_LONG` set, tests that have a long form take it.
fn long() -> bool {
    std::env::var_os("SWITCHBOARD_TEST_LONG").is_some()
}

fn at(second: i64) -> Timestamp {
    START.plus_seconds(second)
}

fn ledger(facts: &[Fact]) -> Ledger {
    let mut ledger = Ledger::default();
    for fact in facts {
        ledger.learn(fact);
    }
    ledger
}

fn told(facts: &[Fact]) -> Payment {
    ledger(facts).state()
}

fn ordered() -> Fact {
    Fact::Ordered { at: START, amount: ASKED, currency: "INR".parse().unwrap() }
}

fn canceled(second: i64) -> Fact {
    Fact::Canceled { at: at(second) }
}

fn marked(second: i64, status: Status) -> Fact {
    Fact::Marked { at: at(second), status }
}

fn rupees(amount: Amount) -> Money {
    Money { amount, currency: Some("INR".to_owned()) }
}

fn transaction(id: &str, second: i64, status: TransactionStatus) -> Transaction {
    Transaction {
        id: id.to_owned(),
        kind: Some("razorpay".to_owned()),
        status: Some(status),
        created: Some(at(second)),
        updated: Some(at(second)),
        ..Transaction::default()
    }
}

fn paid(id: &str, second: i64) -> Transaction {
    transaction(id, second, TransactionStatus::Success)
}

/// Paid, and `amount` given back.
fn refunded(id: &str, second: i64, amount: Option<Amount>) -> Transaction {
    let refund = Refund { id: format!("rfnd_{id}"), status: TransactionStatus::Success, amount };
    Transaction { refunds: vec![refund], money: Some(rupees(ASKED)), ..paid(id, second) }
}

fn webhook(second: i64, status: Status, transaction: Option<Transaction>) -> Fact {
    Fact::Webhook(Report { at: at(second), status, money: Some(rupees(ASKED)), transaction })
}

fn lookup(second: i64, status: Status, transactions: Vec<Transaction>) -> Fact {
    Fact::Lookup(Lookup { at: at(second), found: Some(Found { status, money: Some(rupees(ASKED)), transactions }) })
}

fn lookup_of_nothing(second: i64) -> Fact {
    Fact::Lookup(Lookup { at: at(second), found: None })
}
