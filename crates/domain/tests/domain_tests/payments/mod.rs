//! Payments through the public interface: permutations of facts, random histories, and stories.

mod catalogue;
mod lookups;
mod permutations;
mod properties;
mod stories;

use domain::Timestamp;
use domain::commerce::money::Amount;
use domain::commerce::payments::{
    FoundPayment, Ledger, LookupAnswer, Money, Payment, PaymentFact, PaymentStatus, Refund, Transaction,
    TransactionStatus, WebhookReport,
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

fn ledger(facts: &[PaymentFact]) -> Ledger {
    let mut ledger = Ledger::default();
    for fact in facts {
        ledger.apply(fact);
    }
    ledger
}

fn payment_of(facts: &[PaymentFact]) -> Payment {
    ledger(facts).state()
}

fn ordered() -> PaymentFact {
    PaymentFact::Ordered { at: START, amount: ASKED, currency: "INR".parse().unwrap() }
}

fn canceled(second: i64) -> PaymentFact {
    PaymentFact::Canceled { at: at(second) }
}

fn marked(second: i64, status: PaymentStatus) -> PaymentFact {
    PaymentFact::Marked { at: at(second), status }
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

/// A transaction that was paid and of which `amount` was returned.
fn refunded(id: &str, second: i64, amount: Option<Amount>) -> Transaction {
    let refund = Refund { id: format!("rfnd_{id}"), status: TransactionStatus::Success, amount };
    Transaction { refunds: vec![refund], money: Some(rupees(ASKED)), ..paid(id, second) }
}

fn webhook(second: i64, status: PaymentStatus, transaction: Option<Transaction>) -> PaymentFact {
    PaymentFact::Webhook(WebhookReport { at: at(second), status, money: Some(rupees(ASKED)), transaction })
}

fn lookup(second: i64, status: PaymentStatus, transactions: Vec<Transaction>) -> PaymentFact {
    PaymentFact::Lookup(LookupAnswer {
        at: at(second),
        found: Some(FoundPayment { status, money: Some(rupees(ASKED)), transactions }),
    })
}

fn lookup_of_nothing(second: i64) -> PaymentFact {
    PaymentFact::Lookup(LookupAnswer { at: at(second), found: None })
}
