//! An order as a line of JSON Lines, with the members that the API shows.

use domain::base::time::as_rfc3339;
use domain::commerce::orders::OrderDocument;
use domain::commerce::payments::Payment;
use domain::{ChannelId, ContactId, MessageId, Timestamp, push_json_line};
use serde::Serialize;

use crate::commerce::orders::OrderView;

#[derive(Serialize)]
struct OrderLine<'a> {
    #[serde(flatten)]
    order: &'a OrderDocument,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    updated: Timestamp,
    provenance: Provenance<'a>,
    payment: &'a Payment,
}

#[derive(Serialize)]
struct Provenance<'a> {
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_email: Option<&'a str>,
    channel_id: ChannelId,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_id: Option<ContactId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_username: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_phone: Option<&'a str>,
    message_id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_status: Option<&'static str>,
}

/// Appends an order as one line.
pub fn write_order_line(out: &mut Vec<u8>, view: &OrderView) {
    let order = &view.order;
    let operator = order.operator.as_ref();
    let line = OrderLine {
        order: &order.doc,
        target: view.target.as_deref(),
        created: order.created_at,
        updated: order.updated_at,
        provenance: Provenance {
            source: operator.map_or("", |operator| operator.source.name()),
            operator_email: operator.and_then(|operator| operator.email.as_deref()),
            channel_id: order.channel_id,
            contact_id: order.contact_id,
            contact_name: view.name.as_deref(),
            contact_username: view.username.as_deref(),
            contact_phone: view.phone.as_deref(),
            message_id: order.message_id,
            message_status: view.message_state.map(domain::messaging::messages::MessageState::name),
        },
        payment: &view.payment,
    };
    push_json_line(out, &line);
}
