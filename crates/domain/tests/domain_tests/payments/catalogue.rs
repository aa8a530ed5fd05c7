//! The kinds of facts that histories are made of: each source, each status, and each reason for a conflict.

use domain::commerce::money::Amount;
use domain::commerce::payments::{Money, PaymentFact, PaymentStatus, TransactionStatus, WebhookReport};

use crate::payments::{
    ASKED, at, canceled, lookup, lookup_of_nothing, marked, ordered, paid, refunded, transaction, webhook,
};

/// Fourteen facts. A new kind of fact must be added here.
pub fn catalogue() -> Vec<PaymentFact> {
    vec![
        ordered(),
        canceled(30),
        marked(50, PaymentStatus::Captured),
        marked(95, PaymentStatus::Refunded),
        webhook(10, PaymentStatus::Failed, Some(transaction("t0", 10, TransactionStatus::Failed))),
        webhook(20, PaymentStatus::Captured, Some(paid("t1", 20))),
        webhook(40, PaymentStatus::Captured, Some(paid("t2", 40))),
        dollars(),
        lookup_of_nothing(5),
        lookup(25, PaymentStatus::Pending, vec![transaction("t1", 20, TransactionStatus::Pending)]),
        lookup(60, PaymentStatus::Failed, vec![transaction("t0", 10, TransactionStatus::Failed)]),
        lookup(70, PaymentStatus::Captured, vec![transaction("t0", 10, TransactionStatus::Failed), paid("t1", 20)]),
        lookup(90, PaymentStatus::Captured, vec![refunded("t1", 80, Some(ASKED)), paid("t2", 40)]),
        // A look-up that does not show what the network reported before.
        lookup(200, PaymentStatus::Pending, Vec::new()),
    ]
}

/// Another amount in another currency, and no transaction.
fn dollars() -> PaymentFact {
    let money = Some(Money { amount: Amount::new(20_999), currency: Some("USD".to_owned()) });
    PaymentFact::Webhook(WebhookReport { at: at(15), status: PaymentStatus::Captured, money, transaction: None })
}
