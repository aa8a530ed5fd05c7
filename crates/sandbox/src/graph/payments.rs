//! `GET /{phone_number_id}/payments/{configuration}/{reference_id}`: the payment look-up.

use domain::{TenantId, Timestamp};
use serde_json::{Value, json};
use store::Tx;
use store::platform::sandbox::records::Kind;

use super::access::Key;
use super::answer;
use super::error::GraphResult;
use crate::core::records::{self, Payment};
use crate::notices::payments::transaction;
use crate::{Fault, FaultKind, Reply, Sandbox, fault};

pub async fn get(sandbox: &Sandbox, key: &Key, id: &str, configuration: &str, reference: &str) -> GraphResult<Reply> {
    let opened = key.number(sandbox, id).await?;
    let input = (opened.tenant, reference.to_owned(), sandbox.now());
    let look = sandbox.db().write(input, |tx, (tenant, reference, now)| Box::pin(look(tx, *tenant, reference, *now)));
    let payment = match look.await? {
        LookupResult::Broken(status) => return Ok(answer::broken(status)),
        LookupResult::Found(payment) => payment.map(|payment| *payment),
    };
    let ours = |payment: &Payment| {
        let configured = payment.configuration.as_deref().is_none_or(|name| name == configuration);
        payment.channel == opened.channel.id && configured
    };
    let payment = payment.filter(ours).ok_or_else(|| key.no_object(reference))?;
    Ok(answer::ok(&json!({ "payments": [payment_to_json(&payment)] })))
}

enum LookupResult {
    Found(Option<Box<Payment>>),
    Broken(u16),
}

async fn look(tx: &mut Tx<'_>, tenant: TenantId, reference: &str, now: Timestamp) -> store::Result<LookupResult> {
    let is_here = |fault: &Fault| matches!(fault.kind, FaultKind::LookupError { .. });
    if let Some(Fault { kind: FaultKind::LookupError { status }, .. }) =
        fault::consume(tx, tenant, now, &is_here).await?
    {
        return Ok(LookupResult::Broken(status));
    }
    Ok(LookupResult::Found(records::read(tx, tenant, Kind::Payment, reference).await?.map(Box::new)))
}

fn payment_to_json(payment: &Payment) -> Value {
    let transactions: Vec<Value> = payment.transactions.iter().map(|one| transaction(payment, one)).collect();
    json!({
        "reference_id": payment.reference_id,
        "status": payment.status,
        "currency": payment.currency,
        "amount": payment.amount,
        "transactions": transactions,
    })
}
