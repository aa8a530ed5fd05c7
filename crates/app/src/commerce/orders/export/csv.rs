//! Orders as rows of CSV. An amount is an integer, to be divided by the value in the column `offset`; items,
//! transactions and the conflict are JSON.

use domain::commerce::orders::Charge;
use domain::commerce::payments::{Payment, PaymentSource, PaymentStatus};
use domain::{Timestamp, to_json};

use crate::commerce::orders::OrderView;
use crate::people::imports::cells::{join_names, write_cell};

const HEADER: &str = "reference_id,type,status,payment_status,total,subtotal,tax,shipping,discount,offset,currency,items,\
                      payment_configuration,payment_type,target,pending_confirmation,captured_at,transactions,conflict,\
                      as_of,sources,source,operator_email,message_id,message_status,created,updated\n";

pub(super) fn write_header(out: &mut Vec<u8>) {
    out.extend_from_slice(HEADER.as_bytes());
}

/// Appends an order as a row.
pub(super) fn write_row(out: &mut Vec<u8>, view: &OrderView) {
    let cells = order_cells(view).into_iter().chain(payment_cells(&view.payment)).chain(message_cells(view));
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_cell(out, &cell);
    }
    out.push(b'\n');
}

fn order_cells(view: &OrderView) -> [String; 15] {
    let order = &view.order.doc;
    let content = &order.order;
    let charge = |charge: &Option<Charge>| charge.as_ref().map(|one| one.amount.value.to_string()).unwrap_or_default();
    [
        order.reference_id.to_string(),
        order.goods.name().to_owned(),
        content.status.name().to_owned(),
        view.payment.status.name().to_owned(),
        order.total_amount.value.to_string(),
        content.subtotal.value.to_string(),
        content.tax.amount.value.to_string(),
        charge(&content.shipping),
        charge(&content.discount),
        order.total_amount.offset.to_string(),
        order.currency.code().to_owned(),
        to_json(&content.items),
        order.payment_configuration.clone().unwrap_or_default(),
        order.payment_type.clone().unwrap_or_default(),
        view.target.clone().unwrap_or_default(),
    ]
}

fn payment_cells(payment: &Payment) -> [String; 6] {
    let time = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339).unwrap_or_default();
    let some = |list: &[_]| if list.is_empty() { String::new() } else { to_json(list) };
    [
        payment.pending_confirmation.map(PaymentStatus::name).unwrap_or_default().to_owned(),
        time(payment.captured_at),
        some(&payment.transactions),
        payment.conflict.as_ref().map(to_json).unwrap_or_default(),
        time(payment.as_of),
        join_names(payment.sources.iter().copied().map(PaymentSource::name)),
    ]
}

fn message_cells(view: &OrderView) -> [String; 6] {
    let order = &view.order;
    let operator = order.operator.as_ref();
    [
        operator.map_or("", |operator| operator.source.name()).to_owned(),
        operator.and_then(|operator| operator.email.clone()).unwrap_or_default(),
        order.message_id.to_string(),
        view.message_state.map(domain::messaging::messages::MessageState::name).unwrap_or_default().to_owned(),
        order.created_at.to_rfc3339(),
        order.updated_at.to_rfc3339(),
    ]
}
