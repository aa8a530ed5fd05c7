//! What the network says about a payment, as facts of ours. Reads words and money; decides nothing and stores nothing.
//!
//! A webhook that says something unknown is refused as a whole, and whoever called parks it. A look-up lists everything
//! that was tried: there a word that nobody knows counts as pending, which never counts as money.

use channels::{graph, webhook};
use domain::Timestamp;
use domain::money::Amount;
use domain::payments::{
    Found, Lookup, Money, Refund, Report, Status, Transaction, TransactionError, TransactionStatus,
};

/// What cannot be understood. Names the place and never quotes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}")]
pub(super) struct Unreadable {
    place: &'static str,
    expected: &'static str,
}

type Reading<T> = Result<T, Unreadable>;

const fn unreadable(place: &'static str, expected: &'static str) -> Unreadable {
    Unreadable { place, expected }
}

fn status(word: &str) -> Reading<Status> {
    Status::of_network(word).ok_or(unreadable("status", "a status of a payment that is known"))
}

/// `at`: when it happened, as it is to be stored.
pub(super) fn report(told: &webhook::PaymentReport, at: Timestamp) -> Reading<Report> {
    let transaction = told.transaction.as_ref().map(told_transaction).transpose()?;
    let amount = told.amount.map(told_amount);
    Ok(Report {
        at,
        status: status(&told.status)?,
        money: amount.map(|amount| Money { amount, currency: told.currency.clone() }),
        transaction: transaction.flatten(),
    })
}

/// One without an id cannot be told from another: then only the payment's status counts.
fn told_transaction(told: &webhook::Transaction) -> Reading<Option<Transaction>> {
    let Some(id) = told.id.clone() else { return Ok(None) };
    let amount = told.amount.map(told_amount);
    let word = |word: &String| told_status("payment.transaction.status", word);
    Ok(Some(Transaction {
        id,
        kind: told.kind.clone(),
        status: told.status.as_ref().map(word).transpose()?,
        method: told.method.clone(),
        money: amount.map(|amount| Money { amount, currency: told.currency.clone() }),
        error: told.error.clone().map(|error| TransactionError { code: error.code, reason: error.reason }),
        created: told.created,
        updated: told.updated,
        refunds: told.refunds.iter().map(told_refund).collect::<Reading<_>>()?,
    }))
}

fn told_refund(told: &webhook::Refund) -> Reading<Refund> {
    let status = told_status("payment.transaction.refunds.status", &told.status)?;
    Ok(Refund { id: told.id.clone(), status, amount: told.amount.map(told_amount) })
}

fn told_status(place: &'static str, word: &str) -> Reading<TransactionStatus> {
    TransactionStatus::of_network(word).ok_or(unreadable(place, "pending, success, completed or failed"))
}

/// The reader of webhooks lets nothing else through.
const fn told_amount(told: webhook::Amount) -> Amount {
    Amount { value: told.value, offset: told.offset }
}

/// `at`: when it was asked. Nothing found is a fact too.
pub(super) fn lookup(found: Option<&graph::Payment>, at: Timestamp) -> Reading<Lookup> {
    Ok(Lookup { at, found: found.map(shown).transpose()? })
}

fn shown(payment: &graph::Payment) -> Reading<Found> {
    Ok(Found {
        status: status(&payment.status)?,
        money: money("amount", payment.amount, payment.currency.as_ref())?,
        transactions: payment.transactions.iter().map(shown_transaction).collect::<Reading<_>>()?,
    })
}

fn shown_transaction(shown: &graph::Transaction) -> Reading<Transaction> {
    if shown.id.is_empty() {
        return Err(unreadable("transactions.id", "a text"));
    }
    Ok(Transaction {
        id: shown.id.clone(),
        kind: shown.kind.clone(),
        status: shown.status.as_deref().map(shown_status),
        method: shown.method.clone(),
        money: money("transactions.amount", shown.amount, shown.currency.as_ref())?,
        error: shown.error.clone().map(|error| TransactionError { code: error.code, reason: error.reason }),
        created: shown.created,
        updated: shown.updated,
        refunds: shown.refunds.iter().map(shown_refund).collect::<Reading<_>>()?,
    })
}

fn shown_refund(shown: &graph::Refund) -> Reading<Refund> {
    let amount = amount("transactions.refunds.amount", shown.amount)?;
    Ok(Refund { id: shown.id.clone(), status: shown_status(&shown.status), amount })
}

fn shown_status(word: &str) -> TransactionStatus {
    TransactionStatus::of_network(word).unwrap_or(TransactionStatus::Pending)
}

fn money(place: &'static str, given: Option<graph::Amount>, currency: Option<&String>) -> Reading<Option<Money>> {
    let amount = amount(place, given)?;
    Ok(amount.map(|amount| Money { amount, currency: currency.cloned() }))
}

fn amount(place: &'static str, given: Option<graph::Amount>) -> Reading<Option<Amount>> {
    match given {
        Some(graph::Amount { value, offset }) if value < 0 || offset < 1 => {
            Err(unreadable(place, "a value that is not negative over an offset above 0"))
        }
        given => Ok(given.map(|graph::Amount { value, offset }| Amount { value, offset })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::from_seconds(1_776_163_200);

    fn told(status: &str, transaction: Option<webhook::Transaction>) -> webhook::PaymentReport {
        webhook::PaymentReport {
            message_id: None,
            reference_id: "order-1".to_owned(),
            at: AT,
            recipient: webhook::Person::default(),
            status: status.to_owned(),
            amount: Some(webhook::Amount { value: 2150, offset: 100 }),
            currency: Some("INR".to_owned()),
            transaction,
            callback_data: None,
            content: String::new(),
        }
    }

    fn tried(id: Option<&str>, status: &str) -> webhook::Transaction {
        let [id, status] = [id, Some(status)].map(|text| text.map(str::to_owned));
        webhook::Transaction { id, status, ..webhook::Transaction::default() }
    }

    fn found(json: &str) -> Reading<Found> {
        let payment: graph::Payment = serde_json::from_str(json).unwrap();
        Ok(lookup(Some(&payment), AT)?.found.unwrap())
    }

    #[test]
    fn a_webhook_becomes_a_report() {
        let refund = webhook::Refund { id: "r1".to_owned(), status: "completed".to_owned(), amount: None };
        let paid = webhook::Transaction { refunds: vec![refund], ..tried(Some("t1"), "success") };
        let read = report(&told("captured", Some(paid)), AT).unwrap();
        let inr = Money { amount: Amount::new(2150), currency: Some("INR".to_owned()) };
        assert_eq!((read.at, read.status, read.money), (AT, Status::Captured, Some(inr)));
        let paid = read.transaction.unwrap();
        assert_eq!((paid.id.as_str(), paid.status), ("t1", Some(TransactionStatus::Success)));
        assert_eq!((paid.refunds[0].status, paid.refunds[0].amount), (TransactionStatus::Success, None));
        let nameless = report(&told("captured", Some(tried(None, "success"))), AT).unwrap();
        assert_eq!(nameless.transaction, None);
    }

    #[test]
    fn a_webhook_with_a_word_that_nobody_knows_is_refused() {
        let refund = webhook::Refund { id: "r1".to_owned(), status: "lost".to_owned(), amount: None };
        let odd = webhook::Transaction { refunds: vec![refund], ..tried(Some("t1"), "success") };
        for (bad, place) in [
            (told("paid", None), "status: "),
            (told("captured", Some(tried(Some("t1"), "won"))), "payment.transaction.status: "),
            (told("captured", Some(odd)), "payment.transaction.refunds.status: "),
        ] {
            let why = report(&bad, AT).unwrap_err().to_string();
            assert!(why.starts_with(place) && !why.contains("paid") && !why.contains("won"), "{why}");
        }
    }

    #[test]
    fn a_look_up_is_read_as_far_as_it_can_be() {
        let read = found(
            r#"{"reference_id":"order-1","status":"captured","amount":{"value":2150,"offset":100},"currency":"INR",
                "transactions":[{"id":"t1","status":"success","method":{"type":"upi"},"currency":"INR",
                "amount":{"value":2150,"offset":100},"refunds":[{"id":"r1","status":"odd"}]},
                {"id":"t2","status":"odd","error":{"code":"U30"}}]}"#,
        );
        let read = read.unwrap();
        let statuses: Vec<_> = read.transactions.iter().map(|one| one.status).collect();
        assert_eq!(read.status, Status::Captured);
        assert_eq!(statuses, [Some(TransactionStatus::Success), Some(TransactionStatus::Pending)]);
        assert_eq!(read.transactions[0].refunds[0].status, TransactionStatus::Pending);
        assert_eq!(read.transactions[1].error.as_ref().unwrap().code.as_deref(), Some("U30"));
        assert_eq!(lookup(None, AT).unwrap(), Lookup { at: AT, found: None });
    }

    #[test]
    fn a_look_up_without_sense_says_nothing() {
        for (bad, place) in [
            (r#"{"reference_id":"r","status":"paid"}"#, "status"),
            (r#"{"reference_id":"r","status":"captured","amount":{"value":-1,"offset":100}}"#, "amount"),
            (r#"{"reference_id":"r","status":"captured","amount":{"value":1,"offset":0}}"#, "amount"),
            (r#"{"reference_id":"r","status":"captured","transactions":[{"id":""}]}"#, "transactions.id"),
        ] {
            let why = found(bad).unwrap_err().to_string();
            assert!(why.starts_with(&format!("{place}: ")), "{bad}: {why}");
        }
    }
}
