//! Notices about payments, and the transaction object that webhooks and look-ups share.

use domain::Timestamp;
use serde_json::{Map, Value, json};

use super::statuses::to;
use super::{WebhookContact, value};
use crate::core::records::{Payment, Transaction};
use crate::{Change, NumberMetadata};

/// Notice of a payment's status: `captured`, `pending` or `failed`.
pub fn payment_status(
    number: &NumberMetadata,
    payer: &WebhookContact,
    payment: &Payment,
    paid: &Transaction,
    status: &str,
    at: Timestamp,
) -> Change {
    let details = json!({
        "reference_id": payment.reference_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "receipt": "",
        "transaction": transaction(payment, paid),
    });
    let mut report = Map::new();
    report.insert("id".to_owned(), json!(payment.message_id));
    report.insert("type".to_owned(), json!("payment"));
    report.insert("status".to_owned(), json!(status));
    report.insert("timestamp".to_owned(), json!(at.seconds().to_string()));
    report.insert("payment".to_owned(), details);
    to(&mut report, payer);
    Change::new("messages", value(number, Some(payer), "statuses", json!([report])))
}

/// A transaction as webhooks and look-ups show it. Like the network, writes null for an empty list of refunds.
pub fn transaction(payment: &Payment, paid: &Transaction) -> Value {
    let mut shown = json!(paid);
    shown["amount"] = json!(paid.amount.unwrap_or(payment.amount));
    shown["currency"] = json!(payment.currency);
    if let Some(method) = &paid.method {
        shown["method"] = json!({ "type": method });
    }
    if paid.refunds.is_empty() {
        shown["refunds"] = Value::Null;
    }
    shown
}
