//! Payment notifications. Amounts are parsed strictly: a malformed amount makes the whole record a poison record, so
//! that no payment is booked from half of a report.

use super::item::Item;
use super::object::{Object, Parsed};
use super::people::recipient;
use super::{Amount, PaymentReport, Refund, Transaction, TransactionError};

pub(super) fn parse(item: &Item<'_>) -> Parsed<PaymentReport> {
    let status = &item.object;
    let payment = status.object("payment").ok_or_else(|| status.fault("payment", "an object"))?;
    Ok(PaymentReport {
        message_id: status.id("id")?,
        reference_id: payment.need_id("reference_id")?,
        at: status.need_time("timestamp")?,
        recipient: recipient(item)?,
        status: status.need_id("status")?,
        amount: amount(&payment)?,
        currency: payment.id("currency")?,
        transaction: payment.object("transaction").map(|one| transaction(&one)).transpose()?,
        callback_data: status.text("biz_opaque_callback_data"),
        content: item.raw.to_owned(),
    })
}

fn amount(of: &Object<'_>) -> Parsed<Option<Amount>> {
    if of.get("amount").is_none() {
        return Ok(None);
    }
    let amount = of.object("amount").ok_or_else(|| of.fault("amount", "an object"))?;
    let number = |name: &str, least: i64, expected: &'static str| {
        amount.integer(name).filter(|number| *number >= least).ok_or_else(|| amount.fault(name, expected))
    };
    let value = number("value", 0, "a whole number that is not negative")?;
    Ok(Some(Amount { value, offset: number("offset", 1, "a whole number above 0")? }))
}

fn transaction(one: &Object<'_>) -> Parsed<Transaction> {
    // Gateways differ: the method is an object or a string.
    let method = one.object("method").map_or_else(|| one.id("method"), |method| method.id("type"));
    Ok(Transaction {
        id: one.id("id")?,
        kind: one.id("type")?,
        status: one.id("status")?,
        method: method?,
        amount: amount(one)?,
        currency: one.id("currency")?,
        error: one.object("error").map(|error| why(&error)),
        created: one.time("created_timestamp")?,
        updated: one.time("updated_timestamp")?,
        refunds: one.objects("refunds")?.iter().map(refund).collect::<Parsed<_>>()?,
    })
}

fn why(error: &Object<'_>) -> TransactionError {
    TransactionError { code: error.text("code"), reason: error.text("reason") }
}

/// A refund needs an id: without one, two refunds of the same amount would be indistinguishable.
fn refund(one: &Object<'_>) -> Parsed<Refund> {
    Ok(Refund { id: one.need_id("id")?, status: one.need_id("status")?, amount: amount(one)? })
}
