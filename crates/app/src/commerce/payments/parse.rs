//! Parses the network's reports about payments into facts of the ledger.
//!
//! A webhook with an unknown status of the payment, a transaction or a refund is refused as a whole and parked. A
//! look-up lists every transaction: an unknown status of the payment makes it fail, an unknown status of a transaction
//! or a refund counts as pending, which never counts as money.

use channels::{graph, webhook};
use domain::Timestamp;
use domain::commerce::money::Amount;
use domain::commerce::payments::{
    FoundPayment, LookupAnswer, Money, PaymentStatus, Refund, Transaction, TransactionError, TransactionStatus,
    WebhookReport,
};

/// Names the member that cannot be parsed. Never quotes a value, since it may be personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}")]
pub(super) struct Unreadable {
    place: &'static str,
    expected: &'static str,
}

type Parsed<T> = Result<T, Unreadable>;

const fn unreadable(place: &'static str, expected: &'static str) -> Unreadable {
    Unreadable { place, expected }
}

fn status(word: &str) -> Parsed<PaymentStatus> {
    PaymentStatus::from_network(word).ok_or(unreadable("status", "a status of a payment that is known"))
}

/// Parses a webhook's report. `at` is when the reported event happened.
pub(super) fn report(given: &webhook::PaymentReport, at: Timestamp) -> Parsed<WebhookReport> {
    let transaction = given.transaction.as_ref().map(webhook_transaction).transpose()?;
    let amount = given.amount.map(webhook_amount);
    Ok(WebhookReport {
        at,
        status: status(&given.status)?,
        money: amount.map(|amount| Money { amount, currency: given.currency.clone() }),
        transaction: transaction.flatten(),
    })
}

/// Parses a transaction. None if it has no id: transactions are joined by id, so only the payment's status counts then.
fn webhook_transaction(given: &webhook::Transaction) -> Parsed<Option<Transaction>> {
    let Some(id) = given.id.clone() else { return Ok(None) };
    let amount = given.amount.map(webhook_amount);
    let word = |word: &String| webhook_status("payment.transaction.status", word);
    Ok(Some(Transaction {
        id,
        kind: given.kind.clone(),
        status: given.status.as_ref().map(word).transpose()?,
        method: given.method.clone(),
        money: amount.map(|amount| Money { amount, currency: given.currency.clone() }),
        error: given.error.clone().map(|error| TransactionError { code: error.code, reason: error.reason }),
        created: given.created,
        updated: given.updated,
        refunds: given.refunds.iter().map(webhook_refund).collect::<Parsed<_>>()?,
    }))
}

fn webhook_refund(given: &webhook::Refund) -> Parsed<Refund> {
    let status = webhook_status("payment.transaction.refunds.status", &given.status)?;
    Ok(Refund { id: given.id.clone(), status, amount: given.amount.map(webhook_amount) })
}

fn webhook_status(place: &'static str, word: &str) -> Parsed<TransactionStatus> {
    TransactionStatus::from_network(word).ok_or(unreadable(place, "pending, success, completed or failed"))
}

/// Converts an amount. It cannot be negative, since the webhook parser refuses negative amounts.
const fn webhook_amount(given: webhook::Amount) -> Amount {
    Amount { value: given.value, offset: given.offset }
}

/// Parses the answer of a look-up. `at` is when the look-up was sent. An answer that there is no payment is a fact too.
pub(super) fn lookup(found: Option<&graph::Payment>, at: Timestamp) -> Parsed<LookupAnswer> {
    Ok(LookupAnswer { at, found: found.map(found_payment).transpose()? })
}

fn found_payment(payment: &graph::Payment) -> Parsed<FoundPayment> {
    Ok(FoundPayment {
        status: status(&payment.status)?,
        money: money("amount", payment.amount, payment.currency.as_ref())?,
        transactions: payment.transactions.iter().map(lookup_transaction).collect::<Parsed<_>>()?,
    })
}

fn lookup_transaction(given: &graph::Transaction) -> Parsed<Transaction> {
    if given.id.is_empty() {
        return Err(unreadable("transactions.id", "a text"));
    }
    Ok(Transaction {
        id: given.id.clone(),
        kind: given.kind.clone(),
        status: given.status.as_deref().map(lookup_status),
        method: given.method.clone(),
        money: money("transactions.amount", given.amount, given.currency.as_ref())?,
        error: given.error.clone().map(|error| TransactionError { code: error.code, reason: error.reason }),
        created: given.created,
        updated: given.updated,
        refunds: given.refunds.iter().map(lookup_refund).collect::<Parsed<_>>()?,
    })
}

fn lookup_refund(given: &graph::Refund) -> Parsed<Refund> {
    let amount = amount("transactions.refunds.amount", given.amount)?;
    Ok(Refund { id: given.id.clone(), status: lookup_status(&given.status), amount })
}

fn lookup_status(word: &str) -> TransactionStatus {
    TransactionStatus::from_network(word).unwrap_or(TransactionStatus::Pending)
}

fn money(place: &'static str, given: Option<graph::Amount>, currency: Option<&String>) -> Parsed<Option<Money>> {
    let amount = amount(place, given)?;
    Ok(amount.map(|amount| Money { amount, currency: currency.cloned() }))
}

fn amount(place: &'static str, given: Option<graph::Amount>) -> Parsed<Option<Amount>> {
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

    fn webhook_report(status: &str, transaction: Option<webhook::Transaction>) -> webhook::PaymentReport {
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

    fn found(json: &str) -> Parsed<FoundPayment> {
        let payment: graph::Payment = serde_json::from_str(json).unwrap();
        Ok(lookup(Some(&payment), AT)?.found.unwrap())
    }

    #[test]
    fn a_webhook_becomes_a_report() {
        let refund = webhook::Refund { id: "r1".to_owned(), status: "completed".to_owned(), amount: None };
        let paid = webhook::Transaction { refunds: vec![refund], ..tried(Some("t1"), "success") };
        let parsed = report(&webhook_report("captured", Some(paid)), AT).unwrap();
        let inr = Money { amount: Amount::new(2150), currency: Some("INR".to_owned()) };
        assert_eq!((parsed.at, parsed.status, parsed.money), (AT, PaymentStatus::Captured, Some(inr)));
        let paid = parsed.transaction.unwrap();
        assert_eq!((paid.id.as_str(), paid.status), ("t1", Some(TransactionStatus::Success)));
        assert_eq!((paid.refunds[0].status, paid.refunds[0].amount), (TransactionStatus::Success, None));
        let nameless = report(&webhook_report("captured", Some(tried(None, "success"))), AT).unwrap();
        assert_eq!(nameless.transaction, None);
    }

    #[test]
    fn a_webhook_with_an_unknown_word_is_refused() {
        let refund = webhook::Refund { id: "r1".to_owned(), status: "lost".to_owned(), amount: None };
        let odd = webhook::Transaction { refunds: vec![refund], ..tried(Some("t1"), "success") };
        for (bad, place) in [
            (webhook_report("paid", None), "status: "),
            (webhook_report("captured", Some(tried(Some("t1"), "won"))), "payment.transaction.status: "),
            (webhook_report("captured", Some(odd)), "payment.transaction.refunds.status: "),
        ] {
            let why = report(&bad, AT).unwrap_err().to_string();
            assert!(why.starts_with(place) && !why.contains("paid") && !why.contains("won"), "{why}");
        }
    }

    #[test]
    fn an_unknown_status_in_a_look_up_counts_as_pending() {
        let parsed = found(
            r#"{"reference_id":"order-1","status":"captured","amount":{"value":2150,"offset":100},"currency":"INR",
                "transactions":[{"id":"t1","status":"success","method":{"type":"upi"},"currency":"INR",
                "amount":{"value":2150,"offset":100},"refunds":[{"id":"r1","status":"odd"}]},
                {"id":"t2","status":"odd","error":{"code":"U30"}}]}"#,
        );
        let parsed = parsed.unwrap();
        let statuses: Vec<_> = parsed.transactions.iter().map(|one| one.status).collect();
        assert_eq!(parsed.status, PaymentStatus::Captured);
        assert_eq!(statuses, [Some(TransactionStatus::Success), Some(TransactionStatus::Pending)]);
        assert_eq!(parsed.transactions[0].refunds[0].status, TransactionStatus::Pending);
        assert_eq!(parsed.transactions[1].error.as_ref().unwrap().code.as_deref(), Some("U30"));
        assert_eq!(lookup(None, AT).unwrap(), LookupAnswer { at: AT, found: None });
    }

    #[test]
    fn an_unreadable_look_up_is_refused() {
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
