//! `GET /{phone_number_id}/payments/{configuration}/{reference_id}`: what the network knows of a payment.

use serde_json::{Value, json};
use store::sandbox::records::Kind;

use super::access::Key;
use super::answer;
use super::error::Outcome;
use crate::core::records::{self, Payment, Transaction};
use crate::{Reply, Sandbox};

pub async fn get(sandbox: &Sandbox, key: &Key, id: &str, configuration: &str, reference: &str) -> Outcome<Reply> {
    let opened = key.number(sandbox, id).await?;
    let input = (opened.tenant, reference.to_owned());
    let read = sandbox.db().write(input, |tx, (tenant, reference)| {
        Box::pin(records::read::<Payment>(tx, *tenant, Kind::Payment, reference))
    });
    let ours = |payment: &Payment| {
        let configured = payment.configuration.as_deref().is_none_or(|name| name == configuration);
        payment.channel == opened.channel.id && configured
    };
    let payment = read.await?.filter(ours).ok_or_else(|| key.no_object(reference))?;
    Ok(answer::ok(&json!({ "payments": [shown(&payment)] })))
}

fn shown(payment: &Payment) -> Value {
    let transactions: Vec<Value> = payment.transactions.iter().map(|one| transaction(payment, one)).collect();
    json!({
        "reference_id": payment.reference_id,
        "status": payment.status,
        "currency": payment.currency,
        "amount": payment.amount,
        "transactions": transactions,
    })
}

fn transaction(payment: &Payment, transaction: &Transaction) -> Value {
    let mut shown = json!(transaction);
    shown["currency"] = json!(payment.currency);
    shown["amount"] = json!(payment.amount);
    if let Some(method) = &transaction.method {
        shown["method"] = json!({ "type": method });
    }
    shown
}
