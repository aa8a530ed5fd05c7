//! Orders as rows of CSV: whole numbers over the offset, and JSON where there may be several of something.

use domain::Timestamp;
use domain::orders::Charge;
use domain::payments::{Payment, Source, Status};
use serde::Serialize;

use crate::contacts::import::cells::{join_names, write_cell};
use crate::orders::Shown;

const HEADER: &str = "reference_id,type,status,payment_status,total,subtotal,tax,shipping,discount,offset,currency,items,\
                      payment_configuration,payment_type,target,pending_confirmation,captured_at,transactions,conflict,\
                      as_of,sources,source,operator_email,message_id,message_status,created,updated\n";

pub(super) fn put_header(out: &mut Vec<u8>) {
    out.extend_from_slice(HEADER.as_bytes());
}

/// Adds an order as a row.
pub(super) fn put(out: &mut Vec<u8>, shown: &Shown) {
    let cells = of_order(shown).into_iter().chain(of_payment(&shown.payment)).chain(of_message(shown));
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_cell(out, &cell);
    }
    out.push(b'\n');
}

fn of_order(shown: &Shown) -> [String; 15] {
    let order = &shown.order.doc;
    let content = &order.order;
    let charge = |charge: &Option<Charge>| charge.as_ref().map(|one| one.amount.value.to_string()).unwrap_or_default();
    [
        order.reference_id.to_string(),
        order.goods.name().to_owned(),
        content.status.name().to_owned(),
        shown.payment.status.name().to_owned(),
        order.total_amount.value.to_string(),
        content.subtotal.value.to_string(),
        content.tax.amount.value.to_string(),
        charge(&content.shipping),
        charge(&content.discount),
        order.total_amount.offset.to_string(),
        order.currency.code().to_owned(),
        json(&content.items),
        order.payment_configuration.clone().unwrap_or_default(),
        order.payment_type.clone().unwrap_or_default(),
        shown.target.clone().unwrap_or_default(),
    ]
}

fn of_payment(payment: &Payment) -> [String; 6] {
    let time = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339).unwrap_or_default();
    let some = |list: &[_]| if list.is_empty() { String::new() } else { json(&list) };
    [
        payment.pending_confirmation.map(Status::name).unwrap_or_default().to_owned(),
        time(payment.captured_at),
        some(&payment.transactions),
        payment.conflict.as_ref().map(json).unwrap_or_default(),
        time(payment.as_of),
        join_names(payment.sources.iter().copied().map(Source::name)),
    ]
}

fn of_message(shown: &Shown) -> [String; 6] {
    let order = &shown.order;
    let operator = order.operator.as_ref();
    [
        operator.map_or("", |operator| operator.source.name()).to_owned(),
        operator.and_then(|operator| operator.email.clone()).unwrap_or_default(),
        order.message_id.to_string(),
        shown.message_state.map(domain::messages::MessageState::name).unwrap_or_default().to_owned(),
        order.created_at.to_rfc3339(),
        order.updated_at.to_rfc3339(),
    ]
}

fn json(of: &impl Serialize) -> String {
    serde_json::to_string(of).unwrap_or_default()
}
