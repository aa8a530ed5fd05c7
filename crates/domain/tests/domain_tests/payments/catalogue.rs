//! The kinds of facts that histories are made of: each source, each status, and each reason for a conflict.

use domain::money::Amount;
use domain::payments::{Fact, Money, Report, Status, TransactionStatus};

use crate::payments::{
    ASKED, at, canceled, lookup, lookup_of_nothing, marked, ordered, paid, refunded, transaction, webhook,
};

/// Fourteen facts. Reviewed: whoever adds a kind of fact adds it here.
pub fn catalogue() -> Vec<Fact> {
    vec![
        ordered(),
        canceled(30),
        marked(50, Status::Captured),
        marked(95, Status::Refunded),
        webhook(10, Status::Failed, Some(transaction("t0", 10, TransactionStatus::Failed))),
        webhook(20, Status::Captured, Some(paid("t1", 20))),
        webhook(40, Status::Captured, Some(paid("t2", 40))),
        dollars(),
        lookup_of_nothing(5),
        lookup(25, Status::Pending, vec![transaction("t1", 20, TransactionStatus::Pending)]),
        lookup(60, Status::Failed, vec![transaction("t0", 10, TransactionStatus::Failed)]),
        lookup(70, Status::Captured, vec![transaction("t0", 10, TransactionStatus::Failed), paid("t1", 20)]),
        lookup(90, Status::Captured, vec![refunded("t1", 80, Some(ASKED)), paid("t2", 40)]),
        // Behind everything: the network has forgotten what it told.
        lookup(200, Status::Pending, Vec::new()),
    ]
}

/// Another amount in another currency, and no transaction.
fn dollars() -> Fact {
    let money = Some(Money { amount: Amount::new(20_999), currency: Some("USD".to_owned()) });
    Fact::Webhook(Report { at: at(15), status: Status::Captured, money, transaction: None })
}
